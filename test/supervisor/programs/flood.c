/* Makes stdout and stderr non-blocking for all who share them, fills stdout until it takes no more, and exits with 3. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
    char block[4096];
    memset(block, 'x', sizeof block);
    fcntl(1, F_SETFL, O_NONBLOCK);
    fcntl(2, F_SETFL, O_NONBLOCK);
    while (write(1, block, sizeof block) > 0 || errno == EINTR)
        ;
    while (write(1, block, 1) > 0)
        ;
    return 3;
}
