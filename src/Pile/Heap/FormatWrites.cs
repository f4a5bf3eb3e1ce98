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

    /// <inheritdoc cref="HeapWrites{TFormat}.TryPut"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal PileStatus TryPut<TPayload>(RecordCode code, TPayload payload, out ulong pointer)
        where TPayload : struct, IPayload, allows ref struct =>
        _memory is { } memory ? memory.TryPut(code, payload, out pointer) : _durable!.TryPut(code, payload, out pointer);

    /// <inheritdoc cref="HeapWrites{TFormat}.PutAtOnce"/>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ulong PutAtOnce<TPayload>(RecordCode code, TPayload payload)
        where TPayload : struct, IPayload, allows ref struct =>
        _memory is { } memory ? memory.PutAtOnce(code, payload) : _durable!.PutAtOnce(code, payload);

    /// <inheritdoc cref="HeapWrites{TFormat}.PutAnyhow"/>
    internal PileStatus PutAnyhow<TPayload>(RecordCode code, TPayload payload, out ulong pointer)
        where TPayload : struct, IPayload, allows ref struct =>
        _memory is { } memory ? memory.PutAnyhow(code, payload, out pointer) : _durable!.PutAnyhow(code, payload, out pointer);

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
