// The description of one version of a type, stored in the pile before its first use:
// [number, type name, kind, flags, fingerprint u64, [[declaring type, field, name hash, wire kind, nested number]...]]; the field with the number of
// an F# union's case has one part more: [name...] by number.
// Names decide; hashes and fingerprints are for tools that compare schemas quickly, and may collide.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using Pile.Primitives;

namespace Pile.Codecs;

/// <summary>A version of a type.</summary>
internal sealed record Schema(int Number, string TypeName, PlanKind Kind, SchemaFlags Flags, IReadOnlyList<SchemaField> Fields)
{
    private const int PartsOfField = 5;
    private const ulong HashStart = 14695981039346656037;
    private const ulong HashFactor = 1099511628211;

    /// <summary>The rank that the name ends in, if it is an array's: asked for each element.</summary>
    internal int Rank { get; } = SchemaLayout.RankOf(TypeName);

    /// <summary>The schema of a plan.</summary>
    /// <param name="number">Its number in the pile.</param>
    /// <param name="plan">The plan.</param>
    /// <param name="numberOf">The numbers of the types that stand in it without tag.</param>
    internal static Schema Of(int number, Plan plan, Func<Plan, int> numberOf)
    {
        List<SchemaField> fields = [];
        foreach (PlanMember member in plan.Members)
        {
            fields.Add(new SchemaField(
                member.Declaring, member.Name, member.Formatter.Kind, member.Formatter.Nested is { } nested ? numberOf(nested) : 0, member.Cases));
        }

        SchemaFlags flags = (plan.Type.IsValueType ? 0 : SchemaFlags.Tracked)
            | (plan.Type.IsSealed ? SchemaFlags.Sealed : 0)
            | (plan.Analysis.IsAliasFree ? SchemaFlags.AliasFree : 0);
        return new Schema(number, Codecs.TypeName.Of(plan.Type), plan.Kind, flags, fields);
    }

    /// <summary>Writes the record.</summary>
    internal void Write(WireWriter writer)
    {
        writer.WriteArrayHeader(6);
        writer.WriteInt32(Number);
        writer.WriteText(TypeName);
        writer.WriteInt32((int)Kind);
        writer.WriteInt32((int)Flags);
        writer.WriteUInt64(Fingerprint());
        writer.WriteArrayHeader(Fields.Count);
        foreach (SchemaField field in Fields)
        {
            writer.WriteArrayHeader(field.Cases is null ? PartsOfField : PartsOfField + 1);
            writer.WriteText(field.Declaring);
            writer.WriteText(field.Name);
            writer.WriteUInt32((uint)Hash(HashStart, field.Name));
            writer.WriteInt32((int)field.Kind);
            writer.WriteInt32(field.Nested);
            if (field.Cases is { } cases)
            {
                writer.WriteArrayHeader(cases.Count);
                foreach (string name in cases)
                {
                    writer.WriteText(name);
                }
            }
        }
    }

    /// <summary>Reads a record. Every part is checked; what follows the known parts of an array is gone over.</summary>
    internal static Schema Read(ReadOnlySpan<byte> record)
    {
        var reader = new WireReader(record);
        int parts = reader.ReadArrayHeader();
        if (parts < 6)
        {
            Throw.CorruptedValueOf($"a schema of {parts} parts", 0);
        }

        int number = (int)reader.ReadRange(1, int.MaxValue);
        string name = ReadName(ref reader);
        var kind = (PlanKind)reader.ReadRange((int)PlanKind.Fields, (int)PlanKind.KeysThenValues);
        var flags = (SchemaFlags)reader.ReadByte();
        _ = reader.ReadUInt64();
        int count = reader.ReadArrayHeader();
        List<SchemaField> fields = [];
        for (int index = 0; index < count; index++)
        {
            fields.Add(ReadField(ref reader));
        }

        return new Schema(number, name, kind, flags, fields);
    }

    /// <summary>This schema with the cases of unions that another of its number knows beyond them: where cases were added behind the others it was kept again.</summary>
    internal Schema WithCasesOf(Schema other) => other.Fields.Count != Fields.Count ? this : this with
    {
        Fields = [.. Fields.Zip(other.Fields, static (field, more) => UnionCases.Begins(more.Cases, field.Cases) ? field with { Cases = more.Cases } : field)],
    };

    /// <summary>This schema with the cases that unions have today beyond its own.</summary>
    internal Schema WithCasesOf(Plan plan) => WithCasesOf(Of(Number, plan, static _ => 0));

    /// <summary>Whether a union has cases today beyond its own.</summary>
    internal bool HasFewerCasesThan(Plan plan)
    {
        for (int place = 0; place < Fields.Count; place++)
        {
            if (plan.Members[place].Cases?.Count > Fields[place].Cases?.Count)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>Whether a plan's further cases, if it has any, leave one record of the schema: the parts of two could not be told from each other.</summary>
    internal bool MayTakeCasesOf(Plan plan)
    {
        var writer = new WireWriter();
        if (HasFewerCasesThan(plan))
        {
            WithCasesOf(plan).Write(writer);
        }

        return writer.Written.Length <= CodecLimits.SchemaPartBytes;
    }

    /// <summary>A hash over names, kinds and order of all places.</summary>
    internal ulong Fingerprint()
    {
        ulong hash = Hash(HashStart, TypeName);
        foreach (SchemaField field in Fields)
        {
            hash = Hash(Hash(hash, field.Declaring), field.Name);
            hash = (hash ^ (byte)field.Kind) * HashFactor;
        }

        return (hash ^ (byte)Kind) * HashFactor;
    }

    private static SchemaField ReadField(ref WireReader reader)
    {
        int parts = reader.ReadArrayHeader();
        if (parts < PartsOfField)
        {
            Throw.CorruptedValueOf($"a field of {parts} parts", reader.Position);
        }

        string declaring = ReadName(ref reader);
        string name = ReadName(ref reader);
        _ = reader.ReadUInt32();
        var kind = (WireKind)reader.ReadByte();
        int nested = (int)reader.ReadRange(0, int.MaxValue);
        List<string>? cases = parts > PartsOfField ? ReadCases(ref reader) : null;
        for (int more = PartsOfField + 1; more < parts; more++)
        {
            reader.Skip();
        }

        WireKind bare = kind & ~WireKind.Nullable;
        if (bare > WireKind.Inline || (bare is WireKind.Exact or WireKind.Inline) != nested > 0)
        {
            Throw.CorruptedValueOf($"a field of kind {kind} with type {nested}", reader.Position);
        }

        return new SchemaField(declaring, name, kind, nested, cases);
    }

    private static List<string> ReadCases(ref WireReader reader)
    {
        List<string> cases = [];
        for (int count = reader.ReadArrayHeader(); count > 0; count--)
        {
            cases.Add(ReadName(ref reader));
        }

        return cases;
    }

    private static string ReadName(ref WireReader reader)
    {
        string name = reader.ReadText();
        if (name.Length > CodecLimits.SchemaNameCharsMax)
        {
            Throw.CorruptedValueOf($"a name of {name.Length:N0} chars", reader.Position);
        }

        return name;
    }

    private static ulong Hash(ulong hash, string text)
    {
        foreach (byte part in Encoding.UTF8.GetBytes(text))
        {
            hash = (hash ^ part) * HashFactor;
        }

        return (hash ^ 0xff) * HashFactor;
    }
}
