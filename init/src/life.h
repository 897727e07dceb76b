/* The life of the program, from the fork to the last of its descendants. */
#ifndef LIFE_H
#define LIFE_H

#include "frame.h"
#include "trailer.h"

/* Runs it and fills in how it ended. Nothing of it is alive afterwards. */
void live(const struct frame *frame, int signals, struct trailer *trailer);

#endif
