// Every exception that Pile throws for a failed call, one cold method each, so that hot methods stay small and
// each message is written once: the value, the limit and the way out.
using System;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace Pile.Primitives;

/// <summary>Cold throwing methods.</summary>
internal static class Throw
{
    /// <summary>What each message of a damaged value begins with.</summary>
    internal const string DamagedValue = "A stored value is damaged: ";

    /// <summary>The exception for a status that an operation on a pointer returned.</summary>
    [DoesNotReturn]
    internal static void Failed(PileStatus status, PilePointer pointer, string operation) => throw status switch
    {
        PileStatus.Stale => new PileStaleException(
            $"{operation}: pointer {pointer} is stale: its object was deleted, or no object was ever stored under it. Put the object again and keep the new pointer.", pointer),
        PileStatus.WrongPile => new PileException(
            status, pointer.IsNull ? $"{operation}: pointer {pointer} is the null pointer: no object is ever stored under it. Ask IsNull before." : $"{operation}: pointer {pointer} was not issued by this pile (its tag differs). Use it with the pile that returned it.", pointer),
        PileStatus.Disposed => new ObjectDisposedException(nameof(ObjectPile), $"{operation}: the pile was disposed."),
        PileStatus.Corrupted => new PileCorruptedException(
            $"{operation}: the object of pointer {pointer} is damaged in its file: its checksum does not agree with its bytes. This says nothing about other objects. Delete it, or restore the directory from a copy.", pointer),
        PileStatus.ReadOnly => new PileException(
            status, $"{Text(operation, pointer)}: the pile was opened with OpenMode = {PileOpenMode.ReadOnly}. Nothing was changed.", pointer),
        PileStatus.Poisoned => new PileException(
            status, $"{Text(operation, pointer)}: a flush failed, and nothing can be written: close the pile, see to the device, and open it again. Commit throws the failure.", pointer),
        PileStatus.VersionsExhausted => new PileException(
            status, $"{Text(operation, pointer)}: the object has had its last version (2^40 - 1). Put its value as a new object, and delete this one.", pointer),
        PileStatus.Busy => new PileBusyException($"{operation}: leases or pins are still held."),
        _ => new PileException(status, $"{Text(operation, pointer)} failed: {status}.", pointer),
    };

    [DoesNotReturn]
    internal static void Full(string operation, long bytes, long usedBytes, long limitBytes, string limitName) => throw new PileFullException(
        $"{operation} of {Text(bytes)} bytes: the pile is full ({Text(usedBytes)} of {limitName} = {Text(limitBytes)} bytes are in use and no more can be freed). Delete objects, raise {limitName}, or release long-held leases and pins.");

    [DoesNotReturn]
    internal static void DeviceFull(string operation, long bytes, string path, long? freeBytes, long reserveBytes) => throw new PileFullException(
        $"{operation} of {Text(bytes)} bytes: the device of '{path}' has no room ({(freeBytes is { } free ? Text(free) : "an unknown number of")} bytes free, of which DiskReserveBytes = {Text(reserveBytes)} are kept), and no more can be freed in the pile. Free space on it, or delete objects.", path: path);

    [DoesNotReturn]
    internal static void NoHandles(string operation, long bytes, string failure) => throw new PileFullException(
        $"{operation} of {Text(bytes)} bytes: the pile needs another file, and the process or the system has as many open as it may: {failure} Nothing was changed. Raise the limit of open files (ulimit -n, LimitNOFILE), or close some, then try again.");

    [DoesNotReturn]
    internal static void TooLongFile(string operation, long bytes, string failure) => throw new PileFullException(
        $"{operation} of {Text(bytes)} bytes: the pile needs a file that is longer than the process may make one: {failure} Nothing was changed. Raise that limit (ulimit -f, LimitFSIZE), then try again.");

    [DoesNotReturn]
    internal static void NoAddressSpace(string operation, long bytes, long wantedBytes) => throw new PileFullException(
        $"{operation} of {Text(bytes)} bytes: the pile needs {Text(wantedBytes)} bytes more of address space; the operating system refused them to the process, or they are beyond what the pile reserved by the limit that it was opened with. Nothing was changed. Delete objects, or raise the process's limits (ulimit -v, LimitAS, vm.max_map_count) and open the pile again with the limit of now.");

    [DoesNotReturn]
    internal static void OutOfSlots(string operation, long bytes, long slotsMax) => throw new PileFullException(
        $"{operation} of {Text(bytes)} bytes: the pile has no free slot left (SlotsMax = {Text(slotsMax)} objects, and slots whose generations are used up). More memory does not help: delete objects, or use another pile.");

    [DoesNotReturn]
    internal static void TooLarge(long bytes) => throw new ArgumentOutOfRangeException(
        nameof(bytes), bytes, $"A payload of {Text(bytes)} bytes is larger than a record can hold (PayloadBytesMax = {Text(Limits.PayloadBytesMax)}). Split it into several objects.");

    [DoesNotReturn]
    internal static void Mismatch(PilePointer pointer, string stored, string asked, string wayOut) => throw new PileTypeMismatchException(
        $"{(pointer.IsNull ? "The entry" : $"Pointer {pointer}")} holds {stored}, which can't be read as {asked}. {wayOut}", pointer);

    [DoesNotReturn]
    internal static void MemoryEnded(string owner) => throw new ObjectDisposedException(
        objectName: null, $"The memory is that of a {owner} that has ended, and its bytes may be another object's by now. Copy what is to stay before it ends.");

    [DoesNotReturn]
    internal static void CorruptedValue(string what, int offset) => throw new PileCorruptedException(
        $"{DamagedValue}{what}, before or at byte {Text(offset)}.");

    /// <summary>As <see cref="CorruptedValue"/>, of parts: they are put together here, which leaves the caller's frame small.</summary>
    [DoesNotReturn]
    internal static void CorruptedValueOf(FormattableString what, int offset) => CorruptedValue(FormattableString.Invariant(what), offset);

    [DoesNotReturn]
    internal static void OutOfAddressSpace(long bytes) => throw new PileException(
        PileStatus.Full, $"The operating system refused {Text(bytes)} bytes of address space. Check the process's address-space limit (ulimit -v), vm.max_map_count, and how many piles are open: one in files reserves 8 times its limit, at least 64 GiB, and 4 TiB without a limit (DiskLimitBytes, a cache's MemoryLimitBytes).");

    [DoesNotReturn]
    internal static void TooManyPiles() => throw new InvalidOperationException(
        $"More than {Text(Limits.PilesMax)} piles are alive in this process (PilesMax). Dispose piles that are no longer used.");

    [DoesNotReturn]
    internal static void TooManyThreads() => throw new InvalidOperationException(
        $"More than {Text(Limits.ThreadsMax)} threads that use piles are alive in this process (ThreadsMax). Use fewer threads, such as those of a pool.");

    [DoesNotReturn]
    internal static void LeaseNotInnermost() => throw new InvalidOperationException(
        "This lease is not the innermost one held by the thread: it was disposed already, it is a copy of a disposed one, or leases were disposed out of order. Dispose each lease once, the last one first ('using' does). Nothing was released by this call.");

    [DoesNotReturn]
    internal static void Disposed() => throw new ObjectDisposedException(nameof(ObjectPile), "The pile was disposed.");

    [DoesNotReturn]
    internal static void Spent(string name) => throw new InvalidOperationException(
        $"This {name} was already committed or disposed. Begin a new one.");

    [DoesNotReturn]
    internal static void Argument(string name, object? value, string allowed) => throw new ArgumentOutOfRangeException(name, value, allowed);

    internal static InvalidOperationException NoSuchRun(long location) => new(
        $"No large-object extent holds location {Text(location)}. This is a defect of Pile, please report it.");

    private static string Text(string operation, PilePointer pointer) => pointer.IsNull ? operation : $"{operation} of pointer {pointer}";

    private static string Text(long value) => value.ToString("N0", CultureInfo.InvariantCulture);
}
