// The command of the Python wheel: its library has all of it.
int manyply_command(int argc, char** argv);

int main(int argc, char** argv) { return manyply_command(argc, argv); }
