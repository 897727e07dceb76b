/* Exit codes where there is no nonce, hence no trailer. After a trailer it is 0,
 * so that nothing but a trailer ever tells of success: a program can close the way to the host for all who share it. */
#ifndef EXIT_H
#define EXIT_H

#define EXIT_BAD_FRAME 121
#define EXIT_NO_FRAME 122
#define EXIT_SETUP 123
#define EXIT_UNHEARD 124

#endif
