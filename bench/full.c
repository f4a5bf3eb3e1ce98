// What a store into a mapped page of a full device does: the table of docs/decisions/0059. Nothing of Pile is in here.
//     dd if=/dev/zero of=image bs=1M count=96 && mkfs.ext4 -q -F image && mkdir full && mount -o loop image full
//     cc -O2 -o full.out bench/full.c && for how in 0 1 2; do ./full.out full $how; done
// Of a file of 16 MiB 64 KiB have their space, at 8 MiB (2: the whole huge page there). It is mapped (1 and 2: by huge pages), another file fills the
// device, then the 64 KiB are stored into. Linux alone, as root.
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const long HUGE = 2 << 20, DATA = 16 << 20, AT = 8 << 20, STORED = 64 << 10;

static void check(int holds, const char *what)
{
    if (!holds)
    {
        perror(what);
        exit(1);
    }
}

static void signalled(int number)
{
    static const char text[] = "SIGBUS\n";
    _exit(write(1, text, sizeof text - 1) < 0 || number != SIGBUS);
}

static int create(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
    int file = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    check(file >= 0, path);
    return file;
}

int main(int count, char **arguments)
{
    if (count != 3)
    {
        fprintf(stderr, "usage: %s FOLDER 0|1|2\n", arguments[0]);
        return 2;
    }

    int how = atoi(arguments[2]);
    signal(SIGBUS, signalled);
    int file = create(arguments[1], "mapped");
    int other = create(arguments[1], "fill");
    check(ftruncate(file, DATA) == 0 && fallocate(file, 0, AT, how == 2 ? HUGE : STORED) == 0 && fsync(file) == 0, "fallocate");
    char *room = mmap(NULL, DATA + HUGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    check(room != MAP_FAILED, "mmap");
    char *data = (char *)(((uintptr_t)room + HUGE - 1) & -(uintptr_t)HUGE);
    check(mmap(data, DATA, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED, "mmap");
    check(how == 0 || madvise(data, DATA, MADV_HUGEPAGE) == 0, "madvise");
    static char page[4096];
    memset(page, 1, sizeof page);
    while (write(other, page, sizeof page) == sizeof page)
    {
    }

    fsync(other);
    memset(data + AT, 7, STORED);
    check(fdatasync(file) == 0, "fdatasync");
    puts("stored");
    return 0;
}
