// Dictionaries in a contract, as maps. Null is nil; of a key that stands twice the last value stays.
// The comparer is not kept: a contract has no place for it.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using Pile.Primitives;

namespace Pile.Codecs;

/// <summary>A formatter of dictionaries.</summary>
internal sealed class ContractMap<TKey, TValue> : ContractFormatter<Dictionary<TKey, TValue>?>
    where TKey : notnull
{
    private readonly ContractPlace<TKey> _key = new();
    private readonly ContractPlace<TValue> _value = new();

    internal override IEnumerable<Type> Inner => [typeof(TKey), typeof(TValue)];

    internal override void Write(WireWriter writer, Dictionary<TKey, TValue>? value, int depth)
    {
        if (value is null)
        {
            writer.WriteNil();
            return;
        }

        int inside = Deeper(depth, value);
        writer.WriteMapHeader(value.GetType() == typeof(Dictionary<TKey, TValue>) ? value.Count : throw ContractObject.Derived(typeof(Dictionary<TKey, TValue>), value));
        foreach ((TKey key, TValue item) in value)
        {
            _key.Formatter.Write(writer, key, inside);
            _value.Formatter.Write(writer, item, inside);
        }
    }

    internal override Dictionary<TKey, TValue>? Read(ref ContractReader reader)
    {
        if (reader.Wire.TryReadNil())
        {
            return null;
        }

        int count = reader.Wire.ReadMapHeader();
        reader.Charge(ReadCost.Places(count, Unsafe.SizeOf<KeyValuePair<TKey, TValue>>() + 16, width: 2) + ReadCost.Object(128, 2L * count));
        reader.Enter();
        var map = new Dictionary<TKey, TValue>(count);
        for (; count > 0; count--)
        {
            TKey key = _key.Formatter.Read(ref reader);
            if (key is null)
            {
                Throw.CorruptedValue("a key of a dictionary is nil", reader.Wire.Position);
            }

            map[key] = _value.Formatter.Read(ref reader);
        }

        reader.Leave();
        return map;
    }
}
