// Reads a payload into descriptions, by schemas alone. Bodies of the tail are read one after the other, so that neither depth
// nor length of a graph matters; what is damaged is a PileCorruptedException, as when reading objects.
using System;
using System.Collections.Generic;
using Pile.Primitives;

namespace Pile.Codecs;

/// <summary>Describes one payload.</summary>
internal sealed class DescriptionReader
{
    private readonly GraphContext _context;
    private readonly Dictionary<int, PileDescription> _byOffset = [];
    private readonly List<(TypeVersion Version, PileDescription Target)> _deferred = [];

    /// <summary>The versions that stand by their numbers in what was read.</summary>
    private readonly HashSet<TypeVersion> _tagged = [];

    private DescriptionReader(GraphContext context) => _context = context;

    /// <summary>Describes a payload.</summary>
    internal static PileDescription Read(TypeTable table, ReadOnlySpan<byte> payload) => Read(table, payload, out _);

    /// <summary>The versions of types that a payload names by their numbers; what stands in these without tag is in their schemas.</summary>
    internal static IReadOnlyCollection<TypeVersion> VersionsIn(TypeTable table, ReadOnlySpan<byte> payload)
    {
        _ = Read(table, payload, out DescriptionReader reader);
        return reader._tagged;
    }

    private static PileDescription Read(TypeTable table, ReadOnlySpan<byte> payload, out DescriptionReader describer)
    {
        GraphContext context = GraphContext.Rent(table, payload.Length);
        try
        {
            var reader = new GraphReader(payload, context);
            describer = new DescriptionReader(context);
            return describer.ReadRoot(ref reader);
        }
        finally
        {
            context.Return();
        }
    }

    /// <summary>The stored name of the type at a payload's root. Where the root is no tagged object, all of it is read.</summary>
    internal static string ReadTypeName(TypeTable table, ReadOnlySpan<byte> payload)
    {
        var wire = new WireReader(payload);
        if (IsArray(wire) && wire.ReadArrayHeader() > 0)
        {
            bool isGraph = WireTypes.Of(wire.Peek()) == WireType.Bool;
            _ = isGraph && wire.ReadBool();
            if (!isGraph || (IsArray(wire) && wire.ReadArrayHeader() > 0))
            {
                return table.Version(wire.ReadInt32()).Schema.TypeName;
            }
        }

        return Read(table, payload).TypeName;
    }

    /// <summary>The stored name of what may stand in a place.</summary>
    internal static string TypeNameOf(TypeTable table, SchemaField field) => (field.Kind & ~WireKind.Nullable) switch
    {
        WireKind.Exact or WireKind.Inline => table.Find(field.Nested)?.Schema.TypeName ?? "",
        WireKind.Text => typeof(string).FullName!,
        WireKind.Refused => "",
        var kind => (MappedFormatter.LeafOf(kind) ?? typeof(object)).FullName!,
    };

    private static bool IsArray(in WireReader wire) => WireTypes.Of(wire.Peek()) == WireType.Array;

    private PileDescription ReadRoot(ref GraphReader reader)
    {
        if (WireTypes.Of(reader.Wire.Peek()) != WireType.Array)
        {
            return ReadAny(ref reader);
        }

        int parts = reader.Wire.ReadArrayHeader();
        if (parts == 0 || WireTypes.Of(reader.Wire.Peek()) != WireType.Bool)
        {
            reader.Wire.Position = 0;
            return ReadAny(ref reader);
        }

        _ = reader.Wire.ReadBool();
        PileDescription root = ReadAny(ref reader);
        int bodies = parts == 3 ? reader.Wire.ReadArrayHeader() : 0;
        for (int index = 0; index < bodies && index < _deferred.Count; index++)
        {
            (TypeVersion version, PileDescription target) = _deferred[index];
            ReadContent(ref reader, version, target, reader.Wire.ReadArrayHeader());
        }

        if (bodies != _deferred.Count)
        {
            Throw.CorruptedValueOf($"{bodies:N0} bodies at the end for {_deferred.Count:N0} objects", reader.Wire.Position);
        }

        return root;
    }

    private PileDescription ReadPlace(ref GraphReader reader, SchemaField field)
    {
        if (WireTypes.Of(reader.Wire.Peek()) == WireType.Nil)
        {
            _ = reader.Wire.TryReadNil();
            return PileDescription.Null;
        }

        WireKind kind = field.Kind & ~WireKind.Nullable;
        bool isArray = WireTypes.Of(reader.Wire.Peek()) == WireType.Array;
        if (kind is WireKind.Exact or WireKind.Inline && isArray)
        {
            int offset = reader.Wire.Position;
            TypeVersion version = reader.Table.Version(field.Nested);
            PileDescription target = Begin(offset, version);
            ReadContent(ref reader, version, target, reader.Wire.ReadArrayHeader());
            return target;
        }

        if (kind is WireKind.Any or WireKind.Exact or WireKind.Text or WireKind.Refused or WireKind.Inline)
        {
            return ReadAny(ref reader);
        }

        Type leaf = MappedFormatter.LeafOf(kind)!;
        return new PileDescription(leaf.FullName!, Formatters.Of(leaf).ReadObject(ref reader));
    }

    private PileDescription ReadAny(ref GraphReader reader)
    {
        int offset = reader.Wire.Position;
        byte code = reader.Wire.Peek();
        switch (WireTypes.Of(code))
        {
            case WireType.Array:
                int count = reader.Wire.ReadArrayHeader();
                if (count == 0)
                {
                    Throw.CorruptedValue("an object without a type", offset);
                }

                TypeVersion version = Tagged(reader.Table.Version(reader.Wire.ReadInt32()));
                if (version.Schema.Kind == PlanKind.Value && count == 2)
                {
                    reader.Enter();
                    object? single = ReadPlace(ref reader, SchemaLayout.FieldAt(version.Schema, 0, 1)).Value;
                    reader.Leave();
                    return Keep(offset, new PileDescription(version.Schema.TypeName, single));
                }

                PileDescription target = Begin(offset, version);
                ReadContent(ref reader, version, target, count - 1);
                return target;
            case WireType.Extension:
                return ReadExtension(ref reader, offset);
            default:
                object? value = reader.ReadAny();
                return value is null ? PileDescription.Null : Keep(offset, new PileDescription(value.GetType().ToString(), value));
        }
    }

    private PileDescription ReadExtension(ref GraphReader reader, int offset)
    {
        switch (reader.Wire.PeekExtension())
        {
            case WireCode.Reference:
                int at = 0;
                foreach (byte part in reader.Wire.ReadExtension(WireCode.Reference, -1))
                {
                    at = unchecked((at << 8) | part);
                }

                if (!_byOffset.TryGetValue(at, out PileDescription? known))
                {
                    Throw.CorruptedValueOf($"a reference to byte {at}, where no object began before it", offset);
                }

                known.References++;
                return known;
            case WireCode.Forward:
                TypeVersion version = Tagged(reader.Table.Version(new WireReader(reader.Wire.ReadExtension(WireCode.Forward, -1)).ReadInt32()));
                PileDescription target = Begin(offset, version);
                _deferred.Add((version, target));
                return target;
            default:
                object value = reader.ReadAny()!;
                return Keep(offset, new PileDescription(value.GetType().ToString(), value));
        }
    }

    private void ReadContent(ref GraphReader reader, TypeVersion version, PileDescription target, int count)
    {
        reader.Enter();
        Schema schema = version.Schema;
        string[] names = version.MemberNames;
        int first = names.Length;
        bool isMap = schema.Kind is PlanKind.Map or PlanKind.Serializable;
        List<PileDescription> keys = [];
        for (int index = 0; index < count; index++)
        {
            SchemaField field = SchemaLayout.FieldAt(schema, index, count);
            PileDescription value = ReadPlace(ref reader, field);
            if (index < first)
            {
                target.AddMember(names[index], value);
            }
            else if (isMap && (index - first) % 2 == 0)
            {
                keys.Add(value);
            }
            else if (schema.Kind == PlanKind.Serializable)
            {
                target.AddMember(keys[^1].Value as string ?? "", value);
            }
            else if (isMap)
            {
                target.AddItem(Pair(keys[^1], value));
            }
            else if (schema.Kind == PlanKind.KeysThenValues && index - first < (count - 1) / 2)
            {
                keys.Add(value);
            }
            else
            {
                target.AddItem(schema.Kind == PlanKind.KeysThenValues && target.Items.Count < keys.Count ? Pair(keys[target.Items.Count], value) : value);
            }
        }

        reader.Leave();
    }

    private TypeVersion Tagged(TypeVersion version)
    {
        _ = _tagged.Add(version);
        return version;
    }

    private static PileDescription Pair(PileDescription key, PileDescription value)
    {
        var pair = new PileDescription("") { IsObject = true };
        pair.AddMember("key", key);
        pair.AddMember("value", value);
        return pair;
    }

    private PileDescription Begin(int offset, TypeVersion version) => Keep(offset, new PileDescription(version.Schema.TypeName) { IsObject = true });

    private PileDescription Keep(int offset, PileDescription description)
    {
        _context.Charge(32, offset);
        _byOffset[offset] = description;
        return description;
    }
}
