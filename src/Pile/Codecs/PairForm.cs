// Items that are a key and a value, two elements in a row: of dictionaries, and of priority queues.
// The members it names are what schemas say a collection repeats.
using System.Collections.Generic;

namespace Pile.Codecs;

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

    internal override bool IsOrderedByValue => _isOrderedByValue;

    internal override bool IsSettled => _isOrderedByValue ? _value.IsSettled : _key.IsSettled;

    internal override bool IsIndependent(KeyValuePair<TKey, TValue> item) => !typeof(TKey).IsValueType && IndependentKeys.Contain(item.Key);

    internal override bool IsDamage(KeyValuePair<TKey, TValue> item) => !_isOrderedByValue && item.Key is null;

    internal override ItemForm<KeyValuePair<TKey, TValue>> MapFrom(TypeVersion version, int field) => new PairForm<TKey, TValue>(
        _isOrderedByValue, MappedFormatter.Of<TKey>(version, field), MappedFormatter.Of<TValue>(version, field + 1));

    internal override void Write(GraphWriter writer, KeyValuePair<TKey, TValue> item)
    {
        if (item.Key is null && !_isOrderedByValue)
        {
            // No map holds such a key but one that another thread changes at this moment.
            throw Refuse.Changed(typeof(KeyValuePair<TKey, TValue>));
        }

        _key.Write(writer, item.Key);
        _value.Write(writer, item.Value);
    }

    internal override KeyValuePair<TKey, TValue> Read(ref GraphReader reader)
    {
        TKey key = _key.Read(ref reader);
        return new KeyValuePair<TKey, TValue>(key, _value.Read(ref reader));
    }
}
