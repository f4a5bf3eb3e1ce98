// Dictionary<TKey, TValue> itself with the default comparer and keys that are single values: filled as it is read.
// Everything else takes the general way.
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using Pile.Memory;

namespace Pile.Codecs;

/// <summary>Plan of Dictionary&lt;TKey, TValue&gt;.</summary>
internal sealed class DictionaryPlan<TKey, TValue>(Collection<Dictionary<TKey, TValue>, KeyValuePair<TKey, TValue>> ways)
    : CollectionPlan<Dictionary<TKey, TValue>, KeyValuePair<TKey, TValue>>(typeof(Dictionary<TKey, TValue>), ways, new PairForm<TKey, TValue>())
    where TKey : notnull
{
    private readonly Formatter<TKey> _key = Formatters.Of<TKey>();
    private readonly Formatter<TValue> _value = Formatters.Of<TValue>();

    internal override void WriteContent(GraphWriter writer, object value, int count)
    {
        Dictionary<TKey, TValue> dictionary = RawValue.As<Dictionary<TKey, TValue>>(value);
        WriteFixed(writer, dictionary);
        int left = (count - 1) / 2;
        foreach (KeyValuePair<TKey, TValue> pair in dictionary)
        {
            if (--left < 0 || pair.Key is null)
            {
                throw Refuse.Changed(Type);
            }

            _key.Write(writer, pair.Key);
            _value.Write(writer, pair.Value);
        }

        if (left != 0)
        {
            throw Refuse.Changed(Type);
        }
    }

    internal override object ReadContent(ref GraphReader reader, int count, object? hollow, int offset)
    {
        if (hollow is not null || !_key.IsSettled || reader.Wire.Peek() != WireCode.Nil)
        {
            return base.ReadContent(ref reader, count, hollow, offset);
        }

        int items = ItemsIn(ref reader, count);
        _ = reader.Wire.TryReadNil();
        reader.Context.Charge(ReadCost.Places(items, Unsafe.SizeOf<KeyValuePair<TKey, TValue>>() + 16, width: 2) + ReadCost.Object(128, count), offset);
        var dictionary = new Dictionary<TKey, TValue>(items);
        reader.Register(offset, dictionary);
        for (; items > 0; items--)
        {
            TKey key = _key.Read(ref reader);
            if (key is null)
            {
                throw new PileCorruptedException($"A stored value is damaged: a key of a dictionary is nil, before byte {reader.Wire.Position}.");
            }

            // A dictionary that another thread changes while it is copied may show a key twice: a snapshot of that has the last.
            dictionary[key] = _value.Read(ref reader);
        }

        return dictionary;
    }
}
