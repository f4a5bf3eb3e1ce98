// The pile: what a program creates, puts bytes and text into, and leases them from. Typed values are ObjectPileTyped,
// batches ObjectPileBatches, upkeep ObjectPileCare: extensions of this class, so that each concept has one file.
using System;
using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;
using Pile.Codecs;
using Pile.Diagnostics;
using Pile.Format;
using Pile.Heap;
using Pile.Memory;
using Pile.Primitives;
using Pile.Segments;

namespace Pile;

/// <summary>Stores objects outside the garbage-collected heap and hands out 8-byte pointers to them.</summary>
/// <remarks>All members are thread-safe unless they say otherwise. Reads take no lock and allocate nothing. Memory stays within <see cref="MemoryLimitBytes"/>
/// whatever is put, updated and deleted. Log-structured memory: Rumble, Kejriwal and Ousterhout, FAST 2014.</remarks>
public sealed class ObjectPile : IDisposable, IAsyncDisposable
{
    private readonly HeapBase _core;
    private readonly FormatWrites _writes;
    private readonly BufferWriterPool _writers = new();
    private readonly PileIntroduction _introduction;
    private ReadsAtOnce _readsAtOnce;
    private int _ended;

    private ObjectPile(PileOptions options)
    {
        options.ValidateForMemory();
        Codecs = options.Codecs.Copy();
        byte tag = options.Origin is { } origin ? PileTags.Take(origin.Tag) : PileTags.Take();
        HeapCore<MemoryRecord> core;
        try
        {
            core = new HeapCore<MemoryRecord>(options, tag, LogContext.Memory);
        }
        catch
        {
            PileTags.Return(tag);
            throw;
        }

        Roots = new PileRoots(core);
        _core = core;
        _core.Clearing = (core.Clearing.Begin, Roots.Clear, core.Clearing.Fail);
        _core.Unmapped = () => PileTags.Return(tag);
        _writes = new FormatWrites(new HeapWrites<MemoryRecord>(core), null);
        Reads = new HeapReads(_core);
        Care = new HeapCare<MemoryRecord>(core);
        TypeTable = new TypeTable(new HeapSchemas<MemoryRecord>(core), options.Plans);
        Types = new PileTypes(TypeTable.Known);
        _introduction = new PileIntroduction(this);
        Begin();
    }

    /// <summary>A pile in files. When it throws the heap is the caller's to end.</summary>
    internal ObjectPile(PileOptions options, DurableHeap heap)
    {
        Codecs = options.Codecs.Copy();
        _core = heap.Core;
        _writes = new FormatWrites(null, new HeapWrites<DurableRecord>(heap.Core));
        Durable = heap;
        Roots = heap.Roots;
        Reads = new HeapReads(_core);
        Care = new HeapCare<DurableRecord>(heap.Core);
        TypeTable = new TypeTable(new HeapSchemas<DurableRecord>(heap.Core, heap.Types), options.Plans);
        heap.Types.Load(TypeTable);
        Types = new PileTypes(TypeTable.Known);
        _introduction = new PileIntroduction(this);
        Begin();
    }

    /// <summary>Limit in bytes on all that the pile holds outside the GC heap, at least 1 MiB; of a pile in files on these, <see cref="PileOptions.DiskLimitBytes"/>.</summary>
    /// <remarks>May be set at any time. Lowered below what is in use, or to less than three segments above it, it stops growth at once, but for a segment at a time that
    /// the cleaner needs to free others, and one that who deletes writes to: what needs more memory answers Full. The background thread cleans and gives back until the pile fits or nothing more can be freed.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is below 1 MiB.</exception>
    public long MemoryLimitBytes
    {
        get => _core.Budget.LimitBytes;
        set
        {
            Check.LimitBytes(value, nameof(MemoryLimitBytes));
            _core.Pool.SetLimit(value);
            if (_core.Budget.IsOver && _core.TryEnterCare())
            {
                _core.Keeper.WakeNow();
                _core.ExitCare();
            }
        }
    }

    /// <summary>The tag of its pointers: 128 to 255 in files, 1 to 127 in memory, where up to 127 piles at once differ in it; an imported pile has the exported one's.</summary>
    public byte Tag => _core.Tag;

    /// <summary>The types that may be created from stored bytes.</summary>
    public PileTypes Types { get; }

    /// <summary>Named pointers, by which a program finds its data again.</summary>
    public PileRoots Roots { get; }

    /// <summary>Told instead of thrown, where it is set: a host logs it and closes again, and who disposes services can't end what others hold.</summary>
    internal Action<PileBusyException>? Busy { get; set; }

    internal PileCodecs Codecs { get; }

    /// <summary>The numbers and versions of stored types.</summary>
    internal TypeTable TypeTable { get; }

    internal HeapBase Core => _core;

    internal HeapReads Reads { get; }

    internal ref readonly ReadsAtOnce ReadsAtOnce => ref _readsAtOnce;

    internal ref readonly FormatWrites Writes => ref _writes;

    internal IHeapCare Care { get; }

    /// <summary>The files, or null for a memory pile.</summary>
    internal DurableHeap? Durable { get; }

    /// <summary>Creates a pile in memory.</summary>
    /// <param name="options">Options, or null for the defaults.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range; the message names it.</exception>
    /// <exception cref="PileException">The operating system refused the address space.</exception>
    public static ObjectPile Create(PileOptions? options = null)
    {
        var pile = new ObjectPile(options ?? new PileOptions());
        Preallocation.Run(pile.Core, CancellationToken.None);
        return pile;
    }

    /// <summary>Opens a pile in files: the same objects under the same pointers as when it was last open, after a close, the end of its process, or a power cut.</summary>
    /// <param name="directory">The directory; by default it is created where there is none.</param>
    /// <param name="options">Options, or null for the defaults.</param>
    /// <exception cref="ArgumentException">An option is out of its range, or the path can't be one.</exception>
    /// <exception cref="PileException"><see cref="PileOptions.Promise"/> names another promise than the pile has.</exception>
    /// <exception cref="PileLockedException">The directory is open already, here or in another process.</exception>
    /// <exception cref="PileFormatException">What is there is no pile, or a newer version's.</exception>
    /// <exception cref="PileCorruptedException">Something that the pile promised to keep is lost; <see cref="PileOptions.AcceptLoss"/> opens what is there.</exception>
    /// <exception cref="PileFullException">The device, or <see cref="PileOptions.DiskLimitBytes"/>, has no room for the pile.</exception>
    /// <exception cref="UnauthorizedAccessException">The directory or a file may not be read, or not written.</exception>
    /// <exception cref="System.IO.IOException">A file call failed; there is no pile, or there is one, where <see cref="PileOptions.OpenMode"/> wants it otherwise.</exception>
    /// <exception cref="PlatformNotSupportedException">Not 64-bit Linux with pages of 4 KiB.</exception>
    /// <remarks>Usable in milliseconds after a close or the end of a process; after a power cut all records are read once.</remarks>
    public static ObjectPile Open(string directory, PileOptions? options = null)
    {
        options ??= new PileOptions();
        return PileOpener.Open(directory, options, progress: null, CancellationToken.None);
    }

    /// <summary>Opens a pile in files without a thread that waits, with progress and a way to end a long recovery.</summary>
    /// <param name="directory">The directory; by default it is created where there is none.</param>
    /// <param name="options">Options, or null for the defaults.</param>
    /// <param name="progress">Told how far a recovery has come.</param>
    /// <param name="cancellationToken">Ends the open; the directory stays as it is, and may be opened again.</param>
    /// <inheritdoc cref="Open"/>
    public static Task<ObjectPile> OpenAsync(
        string directory, PileOptions? options = null, IProgress<PileRecoveryProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        options ??= new PileOptions();
        return Task.Run(() => PileOpener.Open(directory, options, progress, cancellationToken), cancellationToken);
    }

    /// <summary>Stores bytes.</summary>
    /// <param name="bytes">The bytes, 0 to 268,435,455 of them; copied.</param>
    /// <returns>The pointer to them.</returns>
    /// <exception cref="ArgumentOutOfRangeException">Too many bytes for a record.</exception>
    /// <exception cref="PileFullException">The limit leaves no room; nothing was changed.</exception>
    /// <exception cref="PilePoisonedException">A write to the pile's files failed, now or before; nothing was changed.</exception>
    /// <exception cref="PileException">The pile was opened with <see cref="PileOpenMode.ReadOnly"/>.</exception>
    /// <exception cref="ObjectDisposedException">The pile was disposed.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public PilePointer PutBytes(ReadOnlySpan<byte> bytes) => Put(RecordCode.Bytes, new BytesPayload(bytes));

    /// <summary>Stores a sequence of bytes as one object.</summary>
    /// <inheritdoc cref="PutBytes(ReadOnlySpan{byte})"/>
    public PilePointer PutBytes(in ReadOnlySequence<byte> bytes)
    {
        if (bytes.IsSingleSegment)
        {
            return PutBytes(bytes.FirstSpan);
        }

        Check.PayloadBytes(bytes.Length);

        // Staged, because a foreign sequence may throw while it is read, and nothing may throw while a writer is held.
        using PileBufferWriter writer = _writers.Take(this);
        bytes.CopyTo(writer.GetSpan((int)bytes.Length));
        writer.Advance((int)bytes.Length);
        return writer.Commit();
    }

    /// <summary>Stores text. Every char sequence comes back as it was, lone surrogates included.</summary>
    /// <param name="text">The text; 1 byte a char while all chars are at most U+00FF, else 2.</param>
    /// <inheritdoc cref="PutBytes(ReadOnlySpan{byte})"/>
    public PilePointer PutString(ReadOnlySpan<char> text) => Text.IsNarrow(text)
        ? Put(RecordCode.NarrowString, new NarrowPayload(text))
        : Put(RecordCode.WideString, new BytesPayload(Text.Wide(text)));

    /// <summary>Stores one unmanaged value.</summary>
    /// <typeparam name="T">An unmanaged type; its bytes are stored as they are, padding included.</typeparam>
    /// <param name="value">The value.</param>
    /// <inheritdoc cref="PutBytes(ReadOnlySpan{byte})"/>
    public PilePointer PutValue<T>(in T value)
        where T : unmanaged => Put(RecordCode.Value, new BytesPayload(RawValue.AsBytes(in value)));

    /// <summary>Stores unmanaged values in a row.</summary>
    /// <typeparam name="T">An unmanaged type.</typeparam>
    /// <param name="values">The values, together at most 268,435,455 bytes.</param>
    /// <inheritdoc cref="PutBytes(ReadOnlySpan{byte})"/>
    public PilePointer PutSpan<T>(ReadOnlySpan<T> values)
        where T : unmanaged
    {
        Check.PayloadBytes((long)values.Length * Unsafe.SizeOf<T>());
        return Put(RecordCode.Span, new BytesPayload(MemoryMarshal.AsBytes(values)));
    }

    /// <summary>A buffer of known length to fill in place, stored by its Commit.</summary>
    /// <param name="payloadBytes">Its length, 0 to 268,435,455.</param>
    /// <exception cref="ArgumentOutOfRangeException">The length is out of range.</exception>
    /// <remarks>Takes nothing of the pile: a disposed one is told of by Commit.</remarks>
    public PileReservation Reserve(int payloadBytes)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(payloadBytes);
        Check.PayloadBytes(payloadBytes);
        return new PileReservation(_writers.Take(this), payloadBytes);
    }

    /// <summary>A growing buffer to write to, stored by its Commit, which tells of a disposed pile. It costs an object of 64 bytes, for serializers write to an interface.</summary>
    public PileBufferWriter BeginPut() => new(this);

    /// <summary>Leases an object's stored bytes without a copy.</summary>
    /// <param name="pointer">The object.</param>
    /// <returns>The lease; dispose it soon.</returns>
    /// <exception cref="PileStaleException">The object was deleted, or never was.</exception>
    /// <exception cref="PileException">The pointer is another pile's.</exception>
    /// <exception cref="PileCorruptedException">Of a pile in files: the bytes are damaged.</exception>
    /// <exception cref="PilePoisonedException">Of a pile in files: the system could not write back pages of its table of objects.</exception>
    /// <exception cref="ObjectDisposedException">The pile was disposed.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public PileLease Lease(PilePointer pointer)
    {
        if (!Pile.ReadsAtOnce.TryLease(this, pointer.Word, out PileLease lease))
        {
            PileLease found = PileLease.Take(Reads, pointer, nameof(Lease)); // Then by its fields, so that the one above stays in registers.
            lease = new PileLease(found);
        }

        return lease;
    }

    /// <summary>Leases an object's stored bytes without a copy, or reports why not.</summary>
    /// <param name="pointer">The object.</param>
    /// <param name="lease">The lease; dispose it soon. Empty when false.</param>
    /// <returns>False when the pointer is stale or another pile's, the pile was disposed, or, in files, the bytes are damaged.</returns>
    public bool TryLease(PilePointer pointer, out PileLease lease) => Reads.TryLease(pointer.Word, out lease) == PileStatus.Ok;

    /// <inheritdoc cref="TryLease(PilePointer, out PileLease)"/>
    /// <param name="pointer">The object.</param>
    /// <param name="lease">The lease; dispose it soon. Empty when false.</param>
    /// <param name="status">Ok, Stale, WrongPile, Corrupted (of a pile in files: the bytes are damaged) or Disposed.</param>
    public bool TryLease(PilePointer pointer, out PileLease lease, out PileStatus status)
    {
        status = Reads.TryLease(pointer.Word, out lease);
        return status == PileStatus.Ok;
    }

    /// <summary>Begins a lease under which many objects are read one after the other; dispose the reader soon.</summary>
    public PileReader BeginRead() => new(this);

    /// <summary>Pins an object's stored bytes for asynchronous or native use.</summary>
    /// <param name="pointer">The object.</param>
    /// <returns>The pin; dispose it when done.</returns>
    /// <inheritdoc cref="Lease"/>
    public PilePin Pin(PilePointer pointer)
    {
        PilePin pin = new(this);
        PileStatus status = pin.TryHold(pointer.Word);
        if (status != PileStatus.Ok)
        {
            Reads.Fail(status, pointer, nameof(Pin));
        }

        return pin;
    }

    /// <summary>Replaces an object by bytes. Last writer wins.</summary>
    /// <param name="pointer">The object; the pointer stays valid.</param>
    /// <param name="bytes">The new bytes, of any length up to 268,435,455.</param>
    /// <exception cref="PileStaleException">The object was deleted, or never was.</exception>
    /// <exception cref="PileCorruptedException">Of a pile in files: the entry or the record's header is damaged.</exception>
    /// <exception cref="PileException">The pointer is another pile's; or, in files, the object has used up its versions.</exception>
    /// <inheritdoc cref="PutBytes(ReadOnlySpan{byte})"/>
    public void UpdateBytes(PilePointer pointer, ReadOnlySpan<byte> bytes) => Update(pointer, RecordCode.Bytes, new BytesPayload(bytes));

    /// <summary>Replaces an object by text. Last writer wins.</summary>
    /// <param name="pointer">The object; the pointer stays valid.</param>
    /// <param name="text">The new text.</param>
    /// <inheritdoc cref="UpdateBytes"/>
    public void UpdateString(PilePointer pointer, ReadOnlySpan<char> text)
    {
        if (Text.IsNarrow(text))
        {
            Update(pointer, RecordCode.NarrowString, new NarrowPayload(text));
        }
        else
        {
            Update(pointer, RecordCode.WideString, new BytesPayload(Text.Wide(text)));
        }
    }

    /// <summary>Deletes an object. Its pointer is stale from then on, for ever.</summary>
    /// <param name="pointer">The object.</param>
    /// <returns>True when it was deleted by this call; false when the pointer is stale or another pile's.</returns>
    /// <exception cref="PileFullException">A pile in files has no room to note that it is gone; it was not deleted.</exception>
    /// <exception cref="PileCorruptedException">Of a pile in files: the entry or the record's header is damaged; it was not deleted.</exception>
    /// <exception cref="PilePoisonedException">A write to the pile's files failed, now or before; it was not deleted.</exception>
    /// <exception cref="PileException">The pile was opened with <see cref="PileOpenMode.ReadOnly"/>.</exception>
    /// <exception cref="ObjectDisposedException">The pile was disposed.</exception>
    public bool Delete(PilePointer pointer)
    {
        PileStatus status = _writes.TryDelete(pointer.Word);
        if (status is PileStatus.Ok or PileStatus.Stale or PileStatus.WrongPile)
        {
            return status == PileStatus.Ok;
        }

        WriteFailures.Throw(this, status, pointer, nameof(Delete), 0);
        return false;
    }

    /// <summary>Ends the pile: new calls are refused, those inside are waited for, the memory goes back to the system.</summary>
    /// <exception cref="PileBusyException">Leases, pins or calls outlasted <see cref="PileOptions.DisposeWait"/>: what they see stays mapped. End them; call again.</exception>
    /// <exception cref="System.IO.IOException">A pile in files could not be closed in order: a flush failed, now or before. It is closed all the same.</exception>
    public void Dispose()
    {
        _introduction.End();
        try
        {
            _core.Dispose();
            if (Interlocked.Exchange(ref _ended, 1) == 0)
            {
                PileEventSource.Log.PileDisposed(_core.Tag);
            }
        }
        catch (PileBusyException busy) when (Busy is { } tell)
        {
            tell(busy);
        }
    }

    /// <inheritdoc cref="Dispose"/>
    public async ValueTask DisposeAsync() => await Task.Run(Dispose).ConfigureAwait(false);

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal PilePointer Put<TPayload>(RecordCode code, TPayload payload)
        where TPayload : struct, IPayload, allows ref struct
    {
        PutResult result = _writes.Put(code, payload);
        if (result.Status != PileStatus.Ok)
        {
            WriteFailures.Throw(this, result.Status, default, nameof(Put), payload.Bytes);
        }

        return new PilePointer(result.Pointer);
    }

    internal void Update<TPayload>(PilePointer pointer, RecordCode code, TPayload payload)
        where TPayload : struct, IPayload, allows ref struct
    {
        Check.PayloadBytes(payload.Bytes);
        PileStatus status = _writes.TryUpdate(pointer.Word, code, payload);
        if (status != PileStatus.Ok)
        {
            WriteFailures.Throw(this, status, pointer, nameof(Update), payload.Bytes);
        }
    }

    /// <summary>The last step of every constructor: from here on others see the pile.</summary>
    private void Begin()
    {
        FormatWrites writes = _writes;
        _readsAtOnce = new ReadsAtOnce(_core);
        _core.Extents.WhenFar(() => _readsAtOnce.EndNear());
        _core.ClosingWrites = writes.Close;
        _core.Closing = () =>
        {
            _readsAtOnce.Close();
            Reads.Close();
            writes.Close();
        };
        _introduction.Begin();
    }
}
