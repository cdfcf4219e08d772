// Of <fstream>, what libc++ for WASI says that it has, and has not.
#include <fstream>

template class std::basic_filebuf<char>;
template class std::basic_ifstream<char>;
