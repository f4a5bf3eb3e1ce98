// How a collection writes one item: as one element, or a key and a value as two.
// The members it names are what schemas say a collection repeats.
using System.Collections.Generic;

namespace Pile.Codecs;

/// <summary>The form of items of a collection.</summary>
internal abstract class ItemForm<TItem>
{
    /// <summary>Elements per item.</summary>
    internal abstract int Width { get; }

    /// <summary>What is repeated.</summary>
    internal abstract IReadOnlyList<PlanMember> Members { get; }

    /// <summary>Whether hash code and order of an item are known as soon as it is read.</summary>
    internal abstract bool IsSettled { get; }

    /// <summary>The form in which an older version wrote items, from a field of its schema on.</summary>
    internal abstract ItemForm<TItem> MapFrom(TypeVersion version, int field);

    internal abstract void Write(GraphWriter writer, TItem item);

    internal abstract TItem Read(ref GraphReader reader);
}

/// <summary>Items of one element.</summary>
internal sealed class SingleForm<T> : ItemForm<T>
{
    private readonly Formatter<T> _formatter;
    private readonly PlanMember[] _members;

    internal SingleForm(Formatter<T>? formatter = null)
    {
        _formatter = formatter ?? Formatters.Of<T>();
        _members = [new("", "item", _formatter)];
    }

    internal override int Width => 1;

    internal override IReadOnlyList<PlanMember> Members => _members;

    internal override bool IsSettled => _formatter.IsSettled;

    internal override ItemForm<T> MapFrom(TypeVersion version, int field) => new SingleForm<T>(MappedFormatter.Of<T>(version, field));

    internal override void Write(GraphWriter writer, T item) => _formatter.Write(writer, item);

    internal override T Read(ref GraphReader reader) => _formatter.Read(ref reader);
}

/// <summary>Items of a key and a value.</summary>
internal sealed class PairForm<TKey, TValue> : ItemForm<KeyValuePair<TKey, TValue>>
{
    private readonly Formatter<TKey> _key;
    private readonly Formatter<TValue> _value;
    private readonly PlanMember[] _members;

    private readonly bool _isOrderedByValue;

    /// <param name="isOrderedByValue">Whether the collection compares values, not keys.</param>
    /// <param name="key">The formatter of keys, when it is not today's.</param>
    /// <param name="value">The formatter of values, when it is not today's.</param>
    internal PairForm(bool isOrderedByValue = false, Formatter<TKey>? key = null, Formatter<TValue>? value = null)
    {
        _key = key ?? Formatters.Of<TKey>();
        _value = value ?? Formatters.Of<TValue>();
        _isOrderedByValue = isOrderedByValue;
        _members = [new("", "key", _key), new("", "value", _value)];
    }

    internal override int Width => 2;

    internal override IReadOnlyList<PlanMember> Members => _members;

    internal override bool IsSettled => _isOrderedByValue ? _value.IsSettled : _key.IsSettled;

    internal override ItemForm<KeyValuePair<TKey, TValue>> MapFrom(TypeVersion version, int field) => new PairForm<TKey, TValue>(
        _isOrderedByValue, MappedFormatter.Of<TKey>(version, field), MappedFormatter.Of<TValue>(version, field + 1));

    internal override void Write(GraphWriter writer, KeyValuePair<TKey, TValue> item)
    {
        _key.Write(writer, item.Key);
        _value.Write(writer, item.Value);
    }

    internal override KeyValuePair<TKey, TValue> Read(ref GraphReader reader)
    {
        TKey key = _key.Read(ref reader);
        return new KeyValuePair<TKey, TValue>(key, _value.Read(ref reader));
    }
}
