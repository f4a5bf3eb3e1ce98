// Frozen sets: their class depends on their content, so that they exist only once their items are read.
// Items may not refer to the set.
using System;
using System.Collections.Frozen;
using System.Collections.Generic;
using Pile.Primitives;

namespace Pile.Codecs;

/// <summary>Plan of a frozen set.</summary>
internal sealed class FrozenSetPlan<T> : Plan
{
    private readonly Formatter<T> _item;
    private readonly PlanMember[] _members;

    /// <summary>Today's plan.</summary>
    public FrozenSetPlan()
        : this(Formatters.Of<T>())
    {
    }

    private FrozenSetPlan(Formatter<T> item)
        : base(typeof(FrozenSet<T>), PlanKind.Sequence)
    {
        _item = item;
        _members = [Part.Of<object>("comparer"), new("", "item", item)];
    }

    internal override IReadOnlyList<PlanMember> Members => _members;

    internal override bool CanDefer => false;

    internal override Plan MapFrom(TypeVersion version) =>
        version.Schema.Kind == Kind ? new FrozenSetPlan<T>(MappedFormatter.Of<T>(version, 1)) : base.MapFrom(version);

    internal override int Count(object value) => 1 + ((FrozenSet<T>)value).Count;

    internal override void WriteContent(GraphWriter writer, object value, int count)
    {
        var frozen = (FrozenSet<T>)value;
        writer.BeginWhole(value);
        Frozen.WriteComparer(writer, Comparers.OrNull(frozen.Comparer));
        foreach (T item in frozen)
        {
            Frozen.WriteKey(writer, _item, item, frozen.Comparer);
        }

        writer.EndWhole();
    }

    internal override object ReadContent(ref GraphReader reader, int count, object? hollow, int offset)
    {
        if (count == 0)
        {
            Throw.CorruptedValue("a frozen set without comparer", reader.Wire.Position);
        }

        reader.Context.BeginMaking(offset, FrozenSet<T>.Empty);
        int itemsAt = reader.Wire.Position;
        IEqualityComparer<T>? comparer = Frozen.ReadComparer<T>(ref reader);
        T[] items = Frozen.ReadKeys(ref reader, _item, count - 1, width: 1);
        if (!Frozen.TryBegin(ref reader, Type, _item, items, comparer, itemsAt, out bool isSettled))
        {
            reader.Register(offset, FrozenSet<T>.Empty);
            return FrozenSet<T>.Empty;
        }

        FrozenSet<T> frozen;
        try
        {
            frozen = items.ToFrozenSet(comparer);
        }
        catch (Exception failure) when (KeyFailure.IsOne(failure))
        {
            throw KeyFailure.Of(Type, failure, isFrozen: true);
        }

        if (!isSettled)
        {
            Frozen.Check(ref reader, Type, items, comparer, frozen.Count, frozen.Contains);
        }

        reader.Register(offset, frozen);
        return frozen;
    }
}
