// Frozen dictionaries: their class depends on their content, so that they exist only once their keys are known. Keys come
// first and the values are put in afterwards, so that values may refer to the dictionary; keys may not.
using System;
using System.Collections.Frozen;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Runtime.InteropServices;
using Pile.Memory;
using Pile.Primitives;

namespace Pile.Codecs;

/// <summary>Plan of a frozen dictionary.</summary>
internal sealed class FrozenDictionaryPlan<TKey, TValue> : Plan
    where TKey : notnull
{
    private readonly Formatter<TKey> _key;
    private readonly Formatter<TValue> _value;
    private readonly PlanMember[] _members;

    /// <summary>Today's plan.</summary>
    public FrozenDictionaryPlan()
        : this(Formatters.Of<TKey>(), Formatters.Of<TValue>())
    {
    }

    private FrozenDictionaryPlan(Formatter<TKey> key, Formatter<TValue> value)
        : base(typeof(FrozenDictionary<TKey, TValue>), PlanKind.KeysThenValues)
    {
        (_key, _value) = (key, value);
        _members = [Part.Of<object>("comparer"), new("", "key", key), new("", "value", value)];
    }

    internal override IReadOnlyList<PlanMember> Members => _members;

    internal override bool CanDefer => false;

    internal override Plan MapFrom(TypeVersion version) => version.Schema.Kind == Kind
        ? new FrozenDictionaryPlan<TKey, TValue>(MappedFormatter.Of<TKey>(version, 1), MappedFormatter.Of<TValue>(version, 2))
        : base.MapFrom(version);

    internal override int Count(object value) => 1 + (2 * ((FrozenDictionary<TKey, TValue>)value).Count);

    internal override void WriteContent(GraphWriter writer, object value, int count)
    {
        var frozen = (FrozenDictionary<TKey, TValue>)value;
        writer.BeginWhole(value);
        Frozen.WriteComparer(writer, Comparers.OrNull(frozen.Comparer));
        foreach (TKey key in frozen.Keys)
        {
            Frozen.WriteKey(writer, _key, key, frozen.Comparer);
        }

        writer.EndWhole();
        foreach (TValue item in frozen.Values)
        {
            _value.Write(writer, item);
        }
    }

    internal override object ReadContent(ref GraphReader reader, int count, object? hollow, int offset)
    {
        if (count % 2 == 0)
        {
            Throw.CorruptedValueOf($"{count:N0} elements in a frozen dictionary", reader.Wire.Position);
        }

        reader.Context.BeginMaking(offset, FrozenDictionary<TKey, TValue>.Empty);
        int keysAt = reader.Wire.Position;
        IEqualityComparer<TKey>? comparer = Frozen.ReadComparer<TKey>(ref reader);
        TKey[] keys = Frozen.ReadKeys(ref reader, _key, count / 2, width: 2);
        if (!Frozen.TryBegin(ref reader, Type, _key, keys, comparer, keysAt, out bool isSettled))
        {
            return ReadValuesAlone(ref reader, keys.Length, offset);
        }

        FrozenDictionary<TKey, TValue> frozen;
        try
        {
            frozen = Freeze(keys, comparer, reader.Wire.Position);
        }
        catch (Exception failure) when (KeyFailure.IsOne(failure))
        {
            throw KeyFailure.Of(Type, failure, isFrozen: true);
        }

        if (!isSettled)
        {
            Frozen.Check(ref reader, Type, keys, comparer, frozen.Count, frozen.ContainsKey);
        }

        reader.Register(offset, frozen);
        ReadValues(ref reader, frozen, keys);
        return frozen;
    }

    private void ReadValues(ref GraphReader reader, FrozenDictionary<TKey, TValue> frozen, TKey[] keys)
    {
        foreach (TKey key in keys)
        {
            TValue item = _value.Read(ref reader);
            if (!RawValue.TryStore(in frozen.GetValueRefOrNullRef(key), item))
            {
                throw KeyFailure.OfLost(Type);
            }
        }

        // Some of its classes keep values twice: for lookups, which was filled above, and for going over it.
        ImmutableArray<TKey> order = frozen.Keys;
        TValue[] listed = ImmutableCollectionsMarshal.AsArray(frozen.Values)!;
        for (int index = 0; index < listed.Length; index++)
        {
            listed[index] = frozen.TryGetValue(order[index], out TValue? item) ? item : throw KeyFailure.OfLost(Type);
        }
    }

    /// <summary>Goes over the values of one that can't be made in this reading: what they refer to is wanted as well.</summary>
    private FrozenDictionary<TKey, TValue> ReadValuesAlone(ref GraphReader reader, int count, int offset)
    {
        reader.Register(offset, FrozenDictionary<TKey, TValue>.Empty);
        for (; count > 0; count--)
        {
            _ = _value.Read(ref reader);
        }

        return FrozenDictionary<TKey, TValue>.Empty;
    }

    private static FrozenDictionary<TKey, TValue> Freeze(TKey[] keys, IEqualityComparer<TKey>? comparer, int position)
    {
        Dictionary<TKey, TValue> all = new(keys.Length, comparer);
        foreach (TKey key in keys)
        {
            if (key is null)
            {
                Throw.CorruptedValue("a key of a frozen dictionary is nil", position);
            }

            // Keys that have become equal since: the last value stays, as in every other map.
            all[key] = default!;
        }

        return all.ToFrozenDictionary(comparer);
    }
}
