// What reading one graph collects besides the graph: objects by the offset where they began, bodies still to come, objects
// to fill last and callbacks to make. One a thread, used again and again; it keeps no object after its graph is read.
using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using Pile.Primitives;

namespace Pile.Codecs;

/// <summary>The memory of a reader. Not thread-safe.</summary>
internal sealed class GraphContext
{
    [ThreadStatic]
    private static GraphContext? _mine;

    private int[] _offsets = new int[16];
    private object?[] _objects = new object?[16];
    private int _count;

    /// <summary>Objects registered out of order behind values that were gone over: each put between the others would move all behind it.</summary>
    private Dictionary<int, object>? _outOfOrder;

    /// <summary>Collections that are made behind their keys, while these are read, by where they begin: an empty one of each.</summary>
    private Dictionary<int, object>? _beingMade;
    private bool _isRented;
    private long _allowance;
    private long _allowanceOfBytes;

    private readonly List<Deferred> _spareDeferred = [];

    private GraphContext()
    {
    }

    /// <summary>The numbers of types in the pile that is read from.</summary>
    internal TypeTable Table { get; private set; } = null!;

    /// <summary>Whether the payload has references, so that objects must be remembered.</summary>
    internal bool HasReferences { get; set; }

    /// <summary>Bodies announced, in order; where each begins is known once it is read.</summary>
    internal List<Deferred> Deferred { get; } = [];

    /// <summary>Objects to fill last.</summary>
    internal List<Pending> Pending { get; } = [];

    /// <summary>How many waited when each body of the tail began.</summary>
    internal List<int> PendingStarts { get; } = [];

    /// <summary>What was filled before the graph was read whole, and after what; null where nothing was.</summary>
    internal FillOrder? Between { get; set; }

    /// <summary>Objects that want to know when the graph is complete, inner ones first.</summary>
    internal List<Called> Callbacks { get; } = [];

    /// <summary>How many there were when a body of the tail began, for each body that had some before it.</summary>
    internal List<int> CallbackStarts { get; } = [];

    /// <summary>Values that were gone over because today's type has no place for them: where objects in them began.</summary>
    internal Dictionary<int, SkippedObject>? Skipped { get; private set; }

    /// <summary>What was gone over and turned out to be wanted, to read behind all others; null where none may wait.</summary>
    internal Queue<Deferred>? Late { get; set; }

    /// <summary>Where those of them begin that something wanted: they were not read in the order in which they stand. Null where none was.</summary>
    internal HashSet<int>? Wanted { get; private set; }

    /// <summary>What a reading before this one has found to be wanted, to read where it stands; null in the first.</summary>
    internal HashSet<int>? ReadInPlace { get; set; }

    /// <summary>Whether the order mattered: the graph is to be read once more, with what is wanted in place, and this one is left as it is.</summary>
    internal bool IsOutOfOrder { get; private set; }

    /// <summary>What looks whether frozen collections find their keys when the graph is complete; null where none is to be asked.</summary>
    internal List<Action>? Checks { get; set; }

    /// <summary>How far values were gone over: what stands before that, in an object that is wanted after all, was gone over with it.</summary>
    internal int GoneOver { get; set; }

    internal static GraphContext Rent(TypeTable table, int payloadBytes)
    {
        GraphContext? context = _mine;
        if (context is null || context._isRented)
        {
            context = new GraphContext();
            _mine ??= context;
        }

        context._isRented = true;
        context.Table = table;
        context._allowanceOfBytes = (long)payloadBytes * CodecLimits.ReadExpansionMax;
        context._allowance = context._allowanceOfBytes + CodecLimits.ReadAllowanceBytes;
        return context;
    }

    /// <summary>A context of no allowance, which collects nothing.</summary>
    internal static GraphContext ForFlat(TypeTable table) => new() { Table = table };

    internal void Return()
    {
        if (_count > 0)
        {
            Array.Clear(_objects, 0, _count);
            _count = 0;
        }

        if (_objects.Length > CodecLimits.IdentitiesKept)
        {
            _offsets = new int[16];
            _objects = new object?[16];
        }

        _outOfOrder = null;
        foreach (Deferred deferred in Deferred)
        {
            deferred.End();
        }

        if (Deferred.Count + Pending.Count + Callbacks.Count > 0)
        {
            Clear(Deferred);
            if (_spareDeferred.Count > CodecLimits.IdentitiesKept)
            {
                Clear(_spareDeferred);
            }

            Clear(Pending);
            Clear(PendingStarts);
            Clear(Callbacks);
            Clear(CallbackStarts);
        }

        Skipped = null;
        Wanted = null;
        ReadInPlace = null;
        IsOutOfOrder = false;
        Checks = null;
        _beingMade = null;
        GoneOver = 0;
        Late = null;
        Between = null;
        HasReferences = false;
        Table = null!;
        _isRented = false;
    }

    /// <summary>Takes what is known of an object that was gone over, which is read now.</summary>
    internal bool TryTakeSkipped(int target, [NotNullWhen(true)] out SkippedObject? found)
    {
        found = null;
        if (Skipped is null || !Skipped.Remove(target, out found))
        {
            return false;
        }

        _ = (Wanted ??= []).Add(target);
        return true;
    }

    /// <summary>Has the graph read once more, because something can't be made while what was gone over is read in between.</summary>
    /// <returns>False where this is that reading.</returns>
    internal bool TryReadOnceMore() => IsOutOfOrder = ReadInPlace is null;

    /// <summary>Says that the keys of a collection are read which is made behind them: one of them may lead to what was gone over, and that to the collection.</summary>
    internal void BeginMaking(int offset, object empty)
    {
        if (Skipped is not null)
        {
            (_beingMade ??= [])[offset] = empty;
        }
    }

    /// <summary>An empty collection in the place of one whose keys are being read, where an order that is not the bytes' leads back to it: the graph is read once more.</summary>
    internal object? FindInMaking(int offset) =>
        Wanted is not null && _beingMade?.GetValueOrDefault(offset) is { } empty && TryReadOnceMore() ? empty : null;

    /// <summary>Leaves the content of an object that was gone over to be read behind all others.</summary>
    /// <param name="version">What wrote it.</param>
    /// <param name="target">Where it begins.</param>
    /// <param name="plan">What made the instance.</param>
    /// <param name="hollow">The instance.</param>
    /// <param name="hasTag">Whether its type stands before its content.</param>
    internal void ReadLate(TypeVersion version, int target, Plan plan, object hollow, bool hasTag)
    {
        var late = new Deferred { Body = target, HasTag = hasTag };
        late.Begin(version, target);
        late.HandOut(plan, hollow);
        (Late ??= new Queue<Deferred>()).Enqueue(late);
    }

    /// <summary>Adds a body to those announced.</summary>
    internal Deferred Announce(TypeVersion version, int offset)
    {
        int index = Deferred.Count;
        if (index == _spareDeferred.Count)
        {
            _spareDeferred.Add(new Deferred());
        }

        Deferred deferred = _spareDeferred[index];
        deferred.Begin(version, offset);
        Deferred.Add(deferred);
        return deferred;
    }

    /// <summary>Says that what is called from now on stands in another body of the tail.</summary>
    internal void BeginCalls()
    {
        if (Callbacks.Count > 0 && (CallbackStarts.Count == 0 || CallbackStarts[^1] < Callbacks.Count))
        {
            CallbackStarts.Add(Callbacks.Count);
        }
    }

    /// <summary>Takes from what this graph may allocate; more than an honest payload of this size needs is refused.</summary>
    internal void Charge(long bytes, int position)
    {
        _allowance -= bytes;
        if (_allowance < 0)
        {
            Throw.CorruptedValueOf($"it asks for more memory than {CodecLimits.ReadExpansionMax} times its size", position);
        }
    }

    /// <summary>The values gone over. What is gone over may be wanted after all, and is charged as what is read besides.</summary>
    internal Dictionary<int, SkippedObject> BeginSkipped()
    {
        _allowance += _allowanceOfBytes;
        return Skipped = [];
    }

    /// <summary>Remembers the object that began at an offset; offsets come in rising order but for objects gone over first and those that are made
    /// behind what they hold.</summary>
    internal void Register(int offset, object value)
    {
        if (_count == _offsets.Length)
        {
            Array.Resize(ref _offsets, _count * 2);
            Array.Resize(ref _objects, _count * 2);
        }

        int index = _count;
        if (index > 0 && _offsets[index - 1] >= offset)
        {
            index = PlaceBetween(offset, value);
            if (index < 0)
            {
                return;
            }
        }

        _offsets[index] = offset;
        _objects[index] = value;
        _count++;
    }

    /// <summary>Makes a place for an object that began before another that is registered. Without values gone over it is one that was made behind
    /// what it holds, and moves no more than that.</summary>
    /// <returns>The place, or -1 where the object is kept beside the others.</returns>
    private int PlaceBetween(int offset, object value)
    {
        if (Find(offset) is not null)
        {
            if (Wanted is null || !TryReadOnceMore())
            {
                Throw.CorruptedValue("two objects begin at one place", offset);
            }

            // One that is made behind what it holds was wanted there as well, and was read twice.
            return -1;
        }

        if (Skipped is not null)
        {
            (_outOfOrder ??= []).Add(offset, value);
            return -1;
        }

        int index = ~Array.BinarySearch(_offsets, 0, _count, offset);
        Array.Copy(_offsets, index, _offsets, index + 1, _count - index);
        Array.Copy(_objects, index, _objects, index + 1, _count - index);
        return index;
    }

    /// <summary>The object that began at an offset, or null.</summary>
    internal object? Find(int offset)
    {
        int index = Array.BinarySearch(_offsets, 0, _count, offset);
        return index >= 0 ? _objects[index] : _outOfOrder?.GetValueOrDefault(offset);
    }

    private static void Clear<T>(List<T> list)
    {
        list.Clear();
        if (list.Capacity > CodecLimits.IdentitiesKept)
        {
            list.Capacity = 0;
        }
    }
}
