// An open file of a mapped pile: the seam to the operating system's calls on one. Offsets and lengths are in bytes.
// It keeps no record of what is mapped or allocated: the callers do. A mapped file only ever grows.
using System;
using System.IO;
using Pile.Primitives;

namespace Pile.Memory;

/// <summary>One open file. All members but <see cref="Dispose"/> are thread-safe. Failures are <see cref="FileCallException"/>s.</summary>
internal abstract class StoreFile(string path) : IDisposable
{
    /// <summary>The path it was opened under.</summary>
    internal string Path { get; } = path;

    /// <summary>Its length now.</summary>
    internal abstract long Bytes { get; }

    /// <summary>What it takes on the device now; less than its length where it is sparse.</summary>
    internal virtual long TakenBytes => Bytes;

    /// <summary>Which file it is.</summary>
    internal abstract FileIdentity Identity { get; }

    /// <summary>Sets the length; what is added reads as zero and has no space on the device yet. Never shortens a mapped file.</summary>
    internal abstract void SetBytes(long bytes);

    /// <summary>Takes space on the device for a stretch, so that storing there can't fail for lack of it; lengthens the file when
    /// the stretch ends behind it. Bytes that are there stay. The caller sees to it that nobody stores into the stretch meanwhile.</summary>
    /// <returns>False when the device or the quota is full.</returns>
    internal abstract bool TryAllocate(long offset, long bytes);

    /// <summary>Gives a stretch's space back to the device; it reads as zero, and the length stays.</summary>
    /// <returns>False where the file system can't; nothing has changed then.</returns>
    internal abstract bool TryPunch(long offset, long bytes);

    /// <summary>Maps a stretch over address space that the caller has reserved; stores go to the file, and survive the process. Before the first that
    /// is writable, blocks that the file shares with others are made its own: nobody may store there meanwhile.</summary>
    /// <param name="address">First address, a multiple of the OS page.</param>
    /// <param name="offset">First byte of the file, a multiple of the OS page.</param>
    /// <param name="bytes">Length, a multiple of the OS page.</param>
    /// <param name="writable">Whether stores are allowed.</param>
    internal abstract void Map(nint address, long offset, long bytes, bool writable);

    /// <summary>Ends a mapping; the address space stays reserved, and touching it is an error.</summary>
    internal abstract void Unmap(nint address, long bytes);

    /// <summary>Has reads, by calls and of a stretch that it is mapped over, bring small pages. What the system reads ahead by itself lies in
    /// large ones, of which the first store dirties all: where one reaches over what has no space, on a full device, that store ends the process. A wish, as the next ones.</summary>
    /// <param name="address">Where it is mapped.</param>
    /// <param name="bytes">Its length.</param>
    /// <param name="isAhead">Whether a read brings what lies behind it as well; else what it asks for.</param>
    internal virtual void ReadSmall(nint address, long bytes, bool isAhead)
    {
    }

    /// <summary>Takes back that huge pages were asked for under a mapped stretch; those that are there stay.</summary>
    internal virtual void AvoidHugePages(nint address, long bytes)
    {
    }

    /// <summary>Has the system begin to bring a mapped stretch, page by page, and returns before it is there.</summary>
    internal virtual void ReadAhead(nint address, long bytes)
    {
    }

    /// <summary>Takes a mapped stretch out of the process's page tables at once; what was stored stays in the file, and who touches it next maps
    /// it again. A sync does the same page by page, and interrupts the other processors for each. A wish, without a result.</summary>
    internal virtual void Detach(nint address, long bytes)
    {
    }

    /// <summary>Returns when all that was written, and stored through mappings, before the call is durable, the length too.
    /// After a failure nothing is known about any of it, and a second call proves nothing.</summary>
    internal abstract void Sync();

    /// <summary>Whether each <see cref="RequireWritten"/> has the device write its caches down.</summary>
    internal virtual bool IsAskedDearly => false;

    /// <summary>Asks whether the system could write back what was stored, as it does by itself after a while: where it could not, pages are taken for written and read again as the
    /// device has them, and nobody is told who does not ask. It is told once, to whoever asks or syncs first; no call waits for the device, but where <see cref="IsAskedDearly"/>. Nothing is told where the system can't be asked.</summary>
    /// <exception cref="FileCallException">It could not, since this was asked or synced last, or the file was opened.</exception>
    internal abstract void RequireWritten();

    /// <summary>Fills <paramref name="target"/> from the file.</summary>
    /// <exception cref="EndOfStreamException">The file ends before.</exception>
    internal abstract void Read(long offset, Span<byte> target);

    /// <summary>Writes all of <paramref name="source"/>, lengthening the file when it ends behind it.</summary>
    internal abstract void Write(long offset, ReadOnlySpan<byte> source);

    /// <summary>Locks the file against other openers, in this process and others, until it is disposed or the process ends.</summary>
    /// <param name="shared">Whether others may lock it shared as well.</param>
    /// <returns>False when another opener holds a lock that excludes this one.</returns>
    internal abstract bool TryLock(bool shared);

    /// <summary>The same against other callers of this alone: programs that lock a file while they read or copy it, as those of .NET do, are neither kept out nor in the way.</summary>
    /// <param name="shared">Whether others may lock it shared as well.</param>
    /// <returns>False when another opener holds such a lock that excludes this one. True also where the system has no such locks.</returns>
    internal abstract bool TryLockApart(bool shared);

    /// <summary><see cref="TryAllocate"/> for file systems without a call for it: whatever reads as zero is written as zero.</summary>
    protected bool TryFill(long offset, long bytes)
    {
        Span<byte> read = stackalloc byte[Limits.OsPageBytes];
        ReadOnlySpan<byte> zeros = stackalloc byte[Limits.OsPageBytes];
        long length = Bytes;
        try
        {
            for (long at = offset; at < offset + bytes; at += Limits.OsPageBytes)
            {
                int piece = (int)long.Min(Limits.OsPageBytes, offset + bytes - at);
                int there = (int)long.Clamp(length - at, 0, piece);
                Read(at, read[..there]);
                int kept = read[..there].ContainsAnyExcept((byte)0) ? there : 0;
                if (kept < piece)
                {
                    Write(at + kept, zeros[kept..piece]);
                }
            }

            return true;
        }
        catch (FileCallException failure) when (failure.Failure is FileFailure.NoSpace or FileFailure.TooLong)
        {
            return false;
        }
    }

    /// <summary>Closes the file and gives up its lock. Mappings stay until they are unmapped.</summary>
    public abstract void Dispose();
}
