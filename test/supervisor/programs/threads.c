/* Starts eight threads, lets each allocate and add up, and prints the sum. */
#include <pthread.h>
#include <stdio.h>

static void *work(void *number)
{
    return (void *)((long)number * 2);
}

int main(void)
{
    pthread_t threads[8];
    long sum = 0;
    for (long i = 0; i < 8; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)i))
            return 1;
    for (int i = 0; i < 8; i++) {
        void *result;
        pthread_join(threads[i], &result);
        sum += (long)result;
    }
    printf("%ld\n", sum);
    return 0;
}
