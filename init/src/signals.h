/* PID 1 blocks every signal, so none can end, stop or interrupt it, and reads the two that it wants from a descriptor. */
#ifndef SIGNALS_H
#define SIGNALS_H

#include "sys.h"

/* Blocks all, sets every disposition to its default (a runtime may have left some ignored), answers the descriptor. */
int signals_open(void);

/* Takes what is pending; answers whether SIGTERM was among it. */
bool signals_take_term(int signals);

/* In the child: nothing is blocked any more. */
long signals_unblock(void);

#endif
