// Starts the command of the Python wheel. The command is in the wheel's library.
int manyply_command(int argc, char** argv);

int main(int argc, char** argv) { return manyply_command(argc, argv); }
