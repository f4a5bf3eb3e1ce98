// The exception for a write that did not happen, with the figures of the pile at that moment.
// Apart from the pile's own file, because it is cold and long.
using System.Diagnostics.CodeAnalysis;
using Pile.Memory;
using Pile.Primitives;

namespace Pile;

/// <summary>Failures of Put, Update and Delete.</summary>
internal static class WriteFailures
{
    /// <summary>Throws for a status that is not Ok.</summary>
    [DoesNotReturn]
    internal static void Throw(ObjectPile pile, PileStatus status, PilePointer pointer, string operation, long bytes)
    {
        if (status == PileStatus.Full && pointer.IsNull && pile.Core.Slots.IsUsedUp)
        {
            Primitives.Throw.OutOfSlots(operation, bytes, pile.Core.Table.SlotsMax);
        }

        // Where the limit has room for a segment, and for the payload in pages of its own, something else is missing.
        bool hasRoom = pile.Core.Budget.FreeBytes > long.Max(pile.Core.Pool.NextSegmentBytes, Align.Up(bytes, Limits.OsPageBytes)) + pile.Core.Pool.KeepBytes;
        if (status == PileStatus.Full && hasRoom && long.Max(pile.Core.Extents.WantedBytes, pile.Core.Slots.WantedBytes) is > 0 and long wantedBytes)
        {
            Primitives.Throw.NoAddressSpace(operation, bytes, wantedBytes);
        }

        if (status == PileStatus.Full && pile.Durable is { } files)
        {
            // Neither the limit nor address space: the device. A limit that nobody has set is a part of what the device had: there it is the device as well,
            // where that has no room either.
            long? free = files.Directory.TryFreeBytes();
            if (hasRoom && files.WantOfFile is { Failure: FileFailure.NoHandle } handles)
            {
                Primitives.Throw.NoHandles(operation, bytes, handles.Message);
            }

            if (hasRoom && files.WantOfFile is { } length)
            {
                Primitives.Throw.TooLongFile(operation, bytes, length.Message);
            }

            if (hasRoom || (pile.Core.Budget.IsByTaken && free - files.ReserveBytes < bytes))
            {
                Primitives.Throw.DeviceFull(operation, bytes, files.Directory.FullPath, free, files.ReserveBytes);
            }
        }

        if (status == PileStatus.Full)
        {
            string limit = pile.Durable is null ? nameof(PileOptions.MemoryLimitBytes) : nameof(PileOptions.DiskLimitBytes);
            Primitives.Throw.Full(operation, bytes, pile.Core.Budget.UsedBytes, pile.Core.Budget.LimitBytes, limit);
        }

        pile.Core.ThrowIfPoisoned(status);
        Primitives.Throw.Failed(status, pointer, operation);
    }
}
