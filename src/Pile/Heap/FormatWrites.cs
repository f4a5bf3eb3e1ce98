// The write side of a heap of either record format: one of the two is there. A struct inside the pile, so that a pile in memory
// pays one predicted branch for it and no load.
using System.Runtime.CompilerServices;
using Pile.Cleaning;
using Pile.Format;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>Writes to memory or to files. Thread-safe.</summary>
internal readonly struct FormatWrites(HeapWrites<MemoryRecord>? memory, HeapWrites<DurableRecord>? durable)
{
    private readonly HeapWrites<MemoryRecord>? _memory = memory;
    private readonly HeapWrites<DurableRecord>? _durable = durable;

    /// <summary>Closes the short way of Put.</summary>
    internal void Close()
    {
        _memory?.Close();
        _durable?.Close();
    }

    /// <inheritdoc cref="HeapWrites{TFormat}.Put"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal PutResult Put<TPayload>(RecordCode code, TPayload payload)
        where TPayload : struct, IPayload, allows ref struct =>
        _memory is { } memory ? memory.Put(code, payload) : _durable!.Put(code, payload);

    /// <inheritdoc cref="HeapWrites{TFormat}.Put"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal PileStatus TryPut<TPayload>(RecordCode code, TPayload payload, out ulong pointer)
        where TPayload : struct, IPayload, allows ref struct
    {
        PutResult result = Put(code, payload);
        pointer = result.Pointer;
        return result.Status;
    }

    /// <summary>Replaces an object, whatever stands.</summary>
    internal PileStatus TryUpdate<TPayload>(ulong pointer, RecordCode code, TPayload payload)
        where TPayload : struct, IPayload, allows ref struct
    {
        RoomAttempt attempt = default;
        return TryUpdate(pointer, code, payload, default, ref attempt);
    }

    /// <inheritdoc cref="HeapWrites{TFormat}.TryUpdate{TPayload}(ulong, RecordCode, TPayload, SeenEntry, ref RoomAttempt)"/>
    internal PileStatus TryUpdate<TPayload>(ulong pointer, RecordCode code, TPayload payload, SeenEntry expected, ref RoomAttempt attempt)
        where TPayload : struct, IPayload, allows ref struct =>
        _memory is { } memory
            ? memory.TryUpdate(pointer, code, payload, expected, ref attempt)
            : _durable!.TryUpdate(pointer, code, payload, expected, ref attempt);

    /// <inheritdoc cref="HeapWrites{TFormat}.TryDelete"/>
    internal PileStatus TryDelete(ulong pointer, SeenEntry expected = default) =>
        _memory is { } memory ? memory.TryDelete(pointer, expected) : _durable!.TryDelete(pointer, expected);
}
