// The file pile.meta: two slots, of which the one with the greater sequence holds. A write goes to the slot that is not known
// to be durable, is synced, and is then copied over the other one: at every instant one durable slot is whole, and once the
// copy has reached the device a damaged slot loses nothing, not even the last write. What the fields mean is the callers' business.
using System;
using System.IO;
using System.Runtime.ExceptionServices;
using Pile.Format;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Persistence;

/// <summary>The open meta file. Not thread-safe: PileDirectory holds a lock.</summary>
internal sealed class MetaFile : IDisposable
{
    private const int SlotsCount = 2;
    private const int FileBytes = SlotsCount * MetaSlot.Bytes;
    private readonly StoreFile _file;
    private int _current;
    private byte[] _bytes;

    private MetaFile(StoreFile file, MetaSlot slot, int current, byte[] bytes, string? damage)
    {
        _file = file;
        _bytes = bytes;
        Slot = slot;
        _current = current;
        Damage = damage;
    }

    /// <summary>What holds.</summary>
    internal MetaSlot Slot { get; private set; }

    /// <summary>Which slot was damaged when the file was opened, and how; null for none. A cut while meta was written leaves one.</summary>
    internal string? Damage { get; }

    /// <summary>Which file it is.</summary>
    internal FileIdentity Identity => _file.Identity;

    /// <summary>Writes a complete meta file, durable but for its name.</summary>
    internal static void Create(FileProvider files, string path, MetaSlot slot)
    {
        byte[] bytes = new byte[FileBytes];
        slot.Write(bytes);
        slot.Write(bytes.AsSpan(MetaSlot.Bytes));
        using StoreFile file = files.Open(path, FileOpening.CreateNew);
        file.Write(0, bytes);
        file.Sync();
    }

    /// <summary>Opens the file, chooses the slot that holds, and refuses what this version can't use. Changes nothing.</summary>
    /// <exception cref="PileFormatException">No slot is whole, or a newer version is needed.</exception>
    internal static MetaFile Open(FileProvider files, string path, bool readOnly)
    {
        StoreFile file = files.Open(path, readOnly ? FileOpening.ReadOnly : FileOpening.ToStoreInto);
        try
        {
            return Choose(file, readOnly);
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }

    /// <summary>Opens the file as <see cref="Open"/>, and locks it beside the file <c>lock</c>: that one can be removed while a process has it, and be made anew by the
    /// next, but without this one there is no pile. Who copies the files of an open pile does not meet the lock.</summary>
    /// <exception cref="PileLockedException">A process has the directory open whose <c>lock</c> is not the one that is there.</exception>
    internal static MetaFile OpenLocked(FileProvider files, string path, bool readOnly)
    {
        if (!readOnly)
        {
            // Before a file that another program brought is made anew: who has it open holds the lock of that one.
            using StoreFile found = files.Open(path, FileOpening.OpenExisting);
            if (!found.TryLockApart(shared: false))
            {
                throw DirectoryLock.RefusalOfRemoved(Path.GetDirectoryName(path)!);
            }
        }

        MetaFile meta = Open(files, path, readOnly);
        try
        {
            return meta._file.TryLockApart(readOnly) ? meta : throw DirectoryLock.RefusalOfRemoved(Path.GetDirectoryName(path)!);
        }
        catch
        {
            meta.Dispose();
            throw;
        }
    }

    /// <summary>Makes what holds durable: an earlier process may have ended, or seen its sync fail, before it was.
    /// The same bytes are stored again, so that a cut in the midst of it changes nothing.</summary>
    internal void MakeDurable()
    {
        Store(_current, _bytes);
        Store(Other, _bytes, synced: false);
    }

    /// <summary>Makes <paramref name="next"/> hold, durable when it returns; its sequence is given here. When it throws, either may
    /// hold from the next open on.</summary>
    internal void Write(MetaSlot next)
    {
        MetaSlot numbered = next with { Sequence = Slot.Sequence + 1 };
        byte[] bytes = new byte[MetaSlot.Bytes];
        numbered.Write(bytes);
        Store(Other, bytes);
        _current = Other;
        _bytes = bytes;
        Slot = numbered;
        Fault.Stop(StopPoint.MetaFirst);
        Store(Other, bytes, synced: false);
    }

    /// <summary>Closes the file.</summary>
    public void Dispose() => _file.Dispose();

    private int Other => SlotsCount - 1 - _current;

    private void Store(int slot, ReadOnlySpan<byte> bytes, bool synced = true)
    {
        _file.Write((long)slot * MetaSlot.Bytes, bytes);
        if (synced)
        {
            _file.Sync();
        }
    }

    private static MetaFile Choose(StoreFile file, bool readOnly)
    {
        long length = file.Bytes;
        if (length != FileBytes)
        {
            throw new PileFormatException(
                $"'{file.Path}' has {length} bytes instead of {FileBytes}: it is truncated, or not a pile's. Nothing was changed.", file.Path);
        }

        byte[] bytes = new byte[FileBytes];
        FileCallException? failure = null;
        MetaSlot? first = Read(file, 0, bytes.AsSpan(0, MetaSlot.Bytes), out string? firstProblem, ref failure);
        MetaSlot? second = Read(file, MetaSlot.Bytes, bytes.AsSpan(MetaSlot.Bytes), out string? secondProblem, ref failure);
        int current = second is not null && (first is null || second.Sequence > first.Sequence) ? 1 : 0;
        MetaSlot? slot = current == 0 ? first : second;
        if (slot is null)
        {
            // What the device may give back another time says nothing about the format.
            if (failure is not null)
            {
                ExceptionDispatchInfo.Throw(failure);
            }

            throw new PileFormatException(
                $"'{file.Path}' has no whole slot: of the first, {firstProblem}; of the second, {secondProblem}. Restore the file. Nothing was changed.", file.Path);
        }

        if (first is not null && second is not null && first.Identity != second.Identity)
        {
            throw new PileFormatException(
                $"'{file.Path}' has slots of two piles, 0x{first.Identity:X16} and 0x{second.Identity:X16}. Nothing was changed.", file.Path);
        }

        slot.Features.Check(file.Path, readOnly);
        return new MetaFile(
            file, slot, current, bytes[(current * MetaSlot.Bytes)..((current + 1) * MetaSlot.Bytes)], firstProblem is not null ? $"first slot: {firstProblem}" : secondProblem is not null ? $"second slot: {secondProblem}" : null);
    }

    // Each by a call of its own: a device that can't give one back may have the other.
    private static MetaSlot? Read(StoreFile file, long offset, Span<byte> bytes, out string? problem, ref FileCallException? failure)
    {
        try
        {
            file.Read(offset, bytes);
        }
        catch (FileCallException unread) when (unread.Failure == FileFailure.Other)
        {
            problem = unread.Message.TrimEnd('.');
            failure ??= unread;
            return null;
        }

        _ = MetaSlot.TryRead(bytes, out MetaSlot? slot, out problem);
        return slot;
    }
}
