// Swift's Glibc module has no epoll.
#include <sys/epoll.h>
