// Writes one graph: keeps what was written by identity, writes references to it, and puts off what would nest too deep to
// the end, so that neither the stack nor a reader's limit is strained by a list of a million nodes.
// One a thread, used again and again; nothing is stored in the pile before the whole graph is written.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;

namespace Pile.Codecs;

/// <summary>The writer of a graph. Not thread-safe.</summary>
internal sealed class GraphWriter : WireWriter
{
    /// <summary>Levels around a body: the root's array, and that of deferred bodies.</summary>
    private const int LevelsAround = 2;

    [ThreadStatic]
    private static GraphWriter? _mine;

    private readonly TrackedObjects _tracked = new();
    private readonly List<(Plan Plan, object Value, int Offset)> _deferred = [];
    private readonly WholeObjects _wholes = new();
    private readonly RecentPlans _recentPlans = new();
    private List<(Plan Plan, object Value)>? _serialized;
    private int _depth;
    private bool _isTracking;
    private bool _hasReferences;
    private bool _isRented;

    private GraphWriter()
    {
    }

    /// <summary>The numbers of types in the pile that is written for.</summary>
    internal TypeTable Table { get; private set; } = null!;

    /// <summary>Whether plans must be used as they are without compiled code.</summary>
    internal PlanMode Mode { get; private set; }

    /// <summary>Levels that are taken for used from the beginning: objects are put off so much sooner. 0 but for a graph that is written once more.</summary>
    internal int Spare { get; set; }

    /// <summary>Whether keys of frozen collections may refer to objects whose bodies follow. Not at first: a reader builds the collection before.</summary>
    internal bool MayReferAhead
    {
        set => _wholes.MayReferAhead = value;
    }

    /// <summary>Takes the thread's writer for the time of one graph: user code that puts meanwhile gets another.</summary>
    internal static GraphWriter Rent(TypeTable table)
    {
        GraphWriter? writer = _mine;
        if (writer is null || writer._isRented)
        {
            writer = Make();
        }

        writer._isRented = true;
        writer.Table = table;
        writer.Mode = table.Mode;
        return writer;
    }

    /// <summary>Gives the writer back, empty.</summary>
    internal void Return()
    {
        Reset(CodecLimits.StagingBytesKept);
        if (_isTracking)
        {
            ForgetObjects();
        }

        _depth = Spare = 0;
        MayReferAhead = false;
        _serialized = null;
        _isTracking = _hasReferences = false;
        Table = null!;
        _isRented = false;
    }

    /// <summary>Writes a graph from its root.</summary>
    internal void WriteRoot(object value)
    {
        if (value is string text)
        {
            WriteText(text);
            return;
        }

        Plan plan = PlanOf(value);
        if (plan.IsPlain)
        {
            plan.WritePlain(this, value, isExact: false);
            return;
        }

        if (!BeginRoot(plan))
        {
            WriteTagged(plan, value);
        }
        else
        {
            WriteTracked(plan, value, plan.Analysis.IsChain);
        }

        EndRoot();
    }

    /// <summary>Writes a graph whose root is a struct, without boxing it.</summary>
    internal void WriteRoot<T>(ValuePlan<T> plan, T value)
        where T : struct
    {
        _ = BeginRoot(plan);
        int count = plan.CountOf(ref value);
        WriteTag(count + 1, Table.TryNumber(plan, out int number) ? number : Table.NumberOf(plan));
        _depth++;
        plan.WriteValue(this, ref value, count);
        WriteDeferred();
        EndRoot();
    }

    /// <summary>Writes an object of any type, or null.</summary>
    internal void WriteAny(object? value)
    {
        if (value is null)
        {
            WriteNil();
            return;
        }

        if (value is string text)
        {
            WriteString(text);
            return;
        }

        Plan plan = PlanOf(value);
        if (TryWriteReference(value))
        {
            return;
        }

        if (plan.IsPlain)
        {
            plan.WritePlain(this, value, isExact: false);
        }
        else if (!TryDefer(plan, value))
        {
            WriteTagged(plan, value);
        }
    }

    /// <summary>Writes an object whose type the reader knows from its place, or null.</summary>
    internal void WriteExact(Plan plan, object? value)
    {
        if (value is null)
        {
            WriteNil();
            return;
        }

        if (TryWriteReference(value))
        {
            return;
        }

        if (plan.IsPlain)
        {
            plan.WritePlain(this, value, isExact: true);
        }
        else if (!TryDefer(plan, value))
        {
            WriteUntagged(plan, value);
        }
    }

    /// <summary>Writes an object's array without tag.</summary>
    internal void WriteUntagged(Plan plan, object value)
    {
        int count = plan.Count(value);
        WriteArrayHeader(count);
        int depth = _depth++;
        plan.WriteContent(this, value, count);
        _depth = depth;
    }

    /// <summary>Writes an object's array with its tag.</summary>
    internal void WriteTagged(Plan plan, object value)
    {
        int count = plan.Count(value);
        WriteTag(count + 1, Table.TryNumber(plan, out int number) ? number : Table.NumberOf(plan, value));
        int depth = _depth++;
        plan.WriteContent(this, value, count);
        _depth = depth;
    }

    /// <summary>Writes what stands in the last place of an object, where an object of the same class stands.</summary>
    /// <returns>Whether only its header is written: its content is to follow, one level deeper, in the same array of places.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryBeginNext(Plan plan, object? value, int count)
    {
        if (value is null)
        {
            WriteNil();
            return false;
        }

        if (TryWriteReference(value) || TryDefer(plan, value))
        {
            return false;
        }

        WriteArrayHeader(count);
        _depth++;
        return true;
    }

    /// <summary>Writes a string or null; long strings are tracked.</summary>
    internal void WriteString(string? text)
    {
        if (text is null)
        {
            WriteNil();
        }
        else if (text.Length < CodecLimits.TrackedStringChars || !TryWriteReferenceToText(text))
        {
            WriteText(text);
        }
    }

    /// <summary>Writes a struct whose type the reader knows.</summary>
    internal void WriteInline<T>(ValuePlan<T> plan, ref T value)
        where T : struct
    {
        int count = plan.CountOf(ref value);
        WriteArrayHeader(count);
        _depth++;
        plan.WriteValue(this, ref value, count);
        _depth--;
    }

    /// <summary>Writes the number of a plan's type in this pile.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void WriteNumber(Plan plan) => WriteInt32(Table.TryNumber(plan, out int number) ? number : Table.NumberOf(plan));

    /// <summary>Begins content that a reader needs whole before it can make the object: nothing in it is put off, and nothing
    /// in it may refer to the object.</summary>
    internal void BeginWhole(object value) => _wholes.Begin(value);

    /// <summary>Says that a key or a comparer is written next: it must have its body, and perhaps be no object around what is written whole.</summary>
    internal void BeginKey(bool mayBeAround = false) => _wholes.BeginKey(Length, mayBeAround);

    /// <summary>Ends what <see cref="BeginWhole"/> began.</summary>
    internal void EndWhole() => _wholes.End();

    /// <summary>Has a method called when the graph is written: OnSerialized.</summary>
    internal void CallWhenWritten(Plan plan, object value) => (_serialized ??= []).Add((plan, value));

    /// <summary>The plan of an object's exact type.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Plan PlanOf(object value) => _recentPlans.Of(value.GetType());

    /// <summary>A writer for the thread's first graph, or for one inside another.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static GraphWriter Make()
    {
        var writer = new GraphWriter();
        _mine ??= writer;
        return writer;
    }

    private void ForgetObjects()
    {
        _tracked.Clear();
        _deferred.Clear();
        if (_deferred.Capacity > CodecLimits.IdentitiesKept)
        {
            _deferred.Capacity = 0;
        }

        _wholes.Clear();
    }

    private bool BeginRoot(Plan plan)
    {
        _depth = LevelsAround + Spare;
        _isTracking = !plan.Analysis.IsAliasFree;
        if (_isTracking)
        {
            Reserve(2);
            Store(WireCode.FixArray | 2);
            Store(WireCode.False);
        }

        return _isTracking;
    }

    private void WriteTracked(Plan plan, object value, bool isChain)
    {
        _tracked.Begin(value, Length, isChain);
        WriteTagged(plan, value);
        WriteDeferred();
        if (_tracked.IsRing)
        {
            Truncate(0);
            ForgetObjects();
            _hasReferences = false;
            _ = BeginRoot(plan);
            WriteTracked(plan, value, isChain: false);
        }
    }

    private void EndRoot()
    {
        if (_hasReferences)
        {
            Patch(1, WireCode.True);
        }

        if (_serialized is { } written)
        {
            _serialized = null;
            foreach ((Plan plan, object value) in written)
            {
                plan.Written(value);
            }
        }
    }

    /// <summary>Bodies in the order of their FWDs; writing one may put off more.</summary>
    private void WriteDeferred()
    {
        if (_deferred.Count == 0)
        {
            return;
        }

        Patch(0, (byte)(WireCode.FixArray | 3));
        int header = WriteArrayHeaderToPatch();
        for (int index = 0; index < _deferred.Count; index++)
        {
            (Plan plan, object value, int offset) = _deferred[index];
            _wholes.BeginBody(offset, Length);
            _depth = LevelsAround + Spare;
            int count = plan.Count(value);
            WriteArrayHeader(count);
            _depth++;
            plan.WriteContent(this, value, count);
        }

        Patch(header, (uint)_deferred.Count);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryWriteReference(object value)
    {
        if (!_isTracking)
        {
            return false;
        }

        int offset = _tracked.FindOrAdd(value, Length);
        return offset >= 0 && WriteBackReference(offset, value);
    }

    private bool TryWriteReferenceToText(string text)
    {
        int offset = _isTracking ? _tracked.FindOrAddText(text, Length) : -1;
        return offset >= 0 && WriteBackReference(offset, text);
    }

    private bool WriteBackReference(int offset, object value)
    {
        if (_wholes.Any)
        {
            _wholes.Check(this, value, offset);
        }

        _hasReferences = true;
        WriteReference(offset);
        return true;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryDefer(Plan plan, object value) =>
        _depth + plan.Analysis.InlineDepth > CodecLimits.NestingMax - CodecLimits.NestingReserve && DefersDeep(plan, value);

    private bool DefersDeep(Plan plan, object value)
    {
        int depth = plan.Analysis.InlineDepth;
        bool mustStand = !plan.CanDefer || _wholes.Any;
        if (mustStand || LevelsAround + depth > CodecLimits.NestingMax - CodecLimits.NestingReserve)
        {
            return mustStand && _depth - Spare + depth <= CodecLimits.NestingMax ? false : throw Refuse.TooDeep(value);
        }

        _deferred.Add((plan, value, Length));
        this.WriteForward(plan, value);
        return true;
    }
}
