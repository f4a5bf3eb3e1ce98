// What the pages of a mapped file cost: the tables of docs/decisions/0039 and 0050. Nothing of Pile is in here.
//     cc -O2 -pthread -o pages bench/pages.c && ./pages FILE
// FILE is made, and removed again; it should be on the disk that is to be measured, which nobody else should use. Linux alone.
// Each row is the least of several rounds; what the device wrote comes from its own count, and so includes what others wrote.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, PREFIX = 4 * PAGE, SEGMENT = 64 << 10, ROUNDS = 5 };
static const long HUGE = 2 << 20, DATA = 128 << 20;
static const char *path;
static char zeros[1 << 20];
static volatile int stop;

static void check(int holds, const char *what)
{
    if (!holds)
    {
        perror(what);
        unlink(path);
        exit(1);
    }
}

static double now_us(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e6 + time.tv_nsec / 1e3;
}

// KiB that the device of FILE has written; 0 where it has no count.
static double written_kib(int file)
{
    struct stat about;
    check(fstat(file, &about) == 0, "fstat");
    char name[64];
    snprintf(name, sizeof name, "/sys/dev/block/%u:%u/stat", major(about.st_dev), minor(about.st_dev));
    FILE *counts = fopen(name, "r");
    unsigned long of[7] = {0};
    for (int index = 0; counts && index < 7 && fscanf(counts, "%lu", &of[index]) == 1; index++)
    {
    }

    if (counts)
    {
        fclose(counts);
    }

    return of[6] / 2.0;
}

// A new file, its data mapped `skew` bytes behind a huge page's start; `allocated`: with its space.
static char *map(int *file, long skew, int advice, int allocated)
{
    unlink(path);
    *file = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    check(*file >= 0 && ftruncate(*file, PREFIX + DATA) == 0, path);
    check(!allocated || fallocate(*file, 0, 0, PREFIX + DATA) == 0, "fallocate");
    check(fdatasync(*file) == 0, "fdatasync");
    char *room = mmap(NULL, DATA + 2 * HUGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    check(room != MAP_FAILED, "mmap");
    char *start = (char *)(((uintptr_t)room + HUGE - 1) & -(uintptr_t)HUGE) + skew;
    check(mmap(start, DATA, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, *file, PREFIX) != MAP_FAILED, "mmap");
    check(!advice || madvise(start, DATA, advice) == 0, "madvise");
    return start;
}

// Decision 39: a store into each page after all were written, and a commit of 1.6 KB.
static void stores(const char *name, long skew, int advice)
{
    int file;
    double page = 1e9, commit = 1e9, kib = 0;
    char *data = map(&file, skew, advice, 1);
    memset(data, 1, DATA);
    for (int round = 0; round < ROUNDS; round++)
    {
        check(fdatasync(file) == 0, "fdatasync");
        double start = now_us();
        for (long at = 0; at < DATA; at += PAGE)
        {
            data[at] = (char)round;
        }

        double took = (now_us() - start) / (DATA / PAGE);
        page = took < page ? took : page;
        check(fdatasync(file) == 0, "fdatasync");
        enum { COMMITS = 200, BYTES = 1600 };
        double before = written_kib(file);
        start = now_us();
        for (long at = 0; at < (long)COMMITS * BYTES; at += BYTES)
        {
            memset(data + at, round, BYTES);
            check(fdatasync(file) == 0, "fdatasync");
        }

        took = (now_us() - start) / COMMITS;
        kib = took < commit ? (written_kib(file) - before) / COMMITS : kib;
        commit = took < commit ? took : commit;
    }

    printf("%-62s %6.2f us a page again, %6.0f us and %7.1f KiB a commit\n", name, page, commit, kib);
    munmap(data, DATA);
    close(file);
}

static void *idle(void *unused)
{
    while (!stop)
    {
    }

    return unused;
}

// Decision 50: batches of 1.25 MiB into a file that grows by segments, each made durable; `fill` bytes of zeros are written before they are
// stored into, or none; `detach`: the batch leaves the page tables before the sync. A batch by pwrite alone for comparison; with 2 (decision 59)
// into blocks that were all written before.
static void batches(const char *name, long fill, int detach, int byCall, int others)
{
    enum { BATCH = 20 * SEGMENT, BATCHES = 48 };
    static char source[BATCH];
    memset(source, 7, BATCH);
    double best = 1e9, stored = 0, synced = 0, kib = 0;
    pthread_t threads[3];
    stop = 0;
    for (int other = 0; other < others; other++)
    {
        check(pthread_create(&threads[other], NULL, idle, NULL) == 0, "pthread_create");
    }

    for (int round = 0; round < ROUNDS; round++)
    {
        int file;
        char *data = map(&file, PREFIX, 0, 0);
        for (long at = 0; byCall == 2 && at < DATA; at += sizeof zeros)
        {
            check(pwrite(file, zeros, sizeof zeros, PREFIX + at) == sizeof zeros, "pwrite");
        }

        check(fdatasync(file) == 0, "fdatasync");
        double storing = 0, syncing = 0, before = written_kib(file);
        for (long batch = 0; batch < BATCHES; batch++)
        {
            double start = now_us();
            for (long at = batch * BATCH; at < (batch + 1) * BATCH; at += SEGMENT)
            {
                check(fallocate(file, 0, PREFIX + at, SEGMENT) == 0, "fallocate");
                for (long done = 0; done < (byCall ? 0 : fill ? SEGMENT : 0); done += fill)
                {
                    check(pwrite(file, zeros, fill, PREFIX + at + done) == fill, "pwrite");
                }

                if (!byCall)
                {
                    memcpy(data + at, source, SEGMENT);
                }
            }

            check(!byCall || pwrite(file, source, BATCH, PREFIX + batch * BATCH) == BATCH, "pwrite");
            double between = now_us();
            check(!detach || madvise(data + batch * BATCH, BATCH, MADV_DONTNEED) == 0, "madvise");
            check(fdatasync(file) == 0, "fdatasync");
            storing += between - start;
            syncing += now_us() - between;
        }

        if (storing + syncing < best)
        {
            best = storing + syncing;
            stored = storing / BATCHES;
            synced = syncing / BATCHES;
            kib = (written_kib(file) - before) / BATCHES;
        }

        munmap(data, DATA);
        close(file);
    }

    stop = 1;
    for (int other = 0; other < others; other++)
    {
        pthread_join(threads[other], NULL);
    }

    printf("%-62s %6.0f us to store, %6.0f us to sync, %6.0f KiB\n", name, stored, synced, kib);
}

int main(int count, char **arguments)
{
    if (count != 2)
    {
        fprintf(stderr, "usage: %s FILE\n", arguments[0]);
        return 2;
    }

    path = arguments[1];
    stores("data 16 KiB behind a huge page's start, address at one", 0, 0);
    stores("data and address alike", PREFIX, 0);
    stores("alike, MADV_HUGEPAGE", PREFIX, MADV_HUGEPAGE);
    stores("alike, MADV_RANDOM", PREFIX, MADV_RANDOM);
    for (int others = 0; others <= 2; others += 2)
    {
        printf("1,280 KiB, %s\n", others ? "two other threads of the process running" : "no other thread");
        batches("pwrite of it all", 0, 0, 1, others);
        batches("pwrite of it all, into blocks written before", 0, 0, 2, others);
        batches("stores into pages as they come", 0, 0, 0, others);
        batches("the same, detached before the sync", 0, 1, 0, others);
        batches("stores into pages filled 4 KiB at a time", 4 << 10, 0, 0, others);
        batches("stores into pages filled 64 KiB at a time", 64 << 10, 0, 0, others);
        batches("the same, detached before the sync", 64 << 10, 1, 0, others);
    }

    unlink(path);
    return 0;
}
