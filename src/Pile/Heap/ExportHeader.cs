// The first block of an export: a map that says what the stream is and what the pile that is made from it must have of the exported
// one, so that its pointers mean the same: tag, identity, the least generation of new slots. Unknown keys are gone over.
using System;
using System.Globalization;
using Pile.Codecs;
using Pile.Format;
using Pile.Primitives;

namespace Pile.Heap;

/// <summary>What an export says of itself.</summary>
/// <param name="Identity">Of the pile in files; 0 for one in memory.</param>
/// <param name="Tag">Of all pointers.</param>
/// <param name="Promise">Of the pile.</param>
/// <param name="FirstGeneration">The least generation with which a slot is issued.</param>
/// <param name="Objects">How many objects follow.</param>
/// <param name="TypeNumberBound">Numbers of types from here on were never issued; 0 where the export does not say.</param>
internal sealed record ExportHeader(ulong Identity, byte Tag, PilePromise Promise, uint FirstGeneration, long Objects, uint TypeNumberBound)
{
    private const string FormatKey = "format";
    private const string FormatName = "pile-export";
    private const string VersionKey = "version";
    private const int Version = 1;

    /// <summary>Writes the map.</summary>
    internal void Write(WireWriter writer)
    {
        writer.WriteMapHeader(8);
        writer.WriteText(FormatKey);
        writer.WriteText(FormatName);
        writer.WriteText(VersionKey);
        writer.WriteInt32(Version);
        writer.WriteText("pile");
        writer.WriteUInt64(Identity);
        writer.WriteText("promise");
        writer.WriteText(Promise.ToString());
        writer.WriteText("tag");
        writer.WriteInt32(Tag);
        writer.WriteText("generation");
        writer.WriteUInt32(FirstGeneration);
        writer.WriteText("objects");
        writer.WriteInt64(Objects);
        writer.WriteText("numbers");
        writer.WriteUInt32(TypeNumberBound);
    }

    /// <summary>Reads the header of an export.</summary>
    /// <exception cref="PileFormatException">The stream is no export, or a newer version's.</exception>
    /// <exception cref="PileCorruptedException">The header is damaged.</exception>
    internal static ExportHeader Read(ExportReader source)
    {
        ExportBlock block = source.ReadHeader();
        var reader = new WireReader(source.Body);
        try
        {
            // Before anything else of it is looked at: a newer version may say other things.
            int pairs = reader.ReadMapHeader();
            if (block.Items != 1 || pairs < 2 || reader.ReadText() != FormatKey || reader.ReadText() != FormatName || reader.ReadText() != VersionKey)
            {
                throw ExportReader.NoExport();
            }

            long version = reader.ReadInt64();
            if (version != Version)
            {
                throw new PileFormatException(string.Create(
                    CultureInfo.InvariantCulture, $"The export is of version {version}, and this version of Pile reads {Version}. Use the version of Pile that wrote it, or a newer one."));
            }

            return ReadPairs(ref reader, pairs - 2);
        }
        catch (PileCorruptedException damage)
        {
            throw source.Damaged(reader.Position, damage.Message);
        }
    }

    private static ExportHeader ReadPairs(ref WireReader reader, int pairs)
    {
        var header = new ExportHeader(0, 0, PilePromise.Memory, 1, 0, 0);
        for (int pair = 0; pair < pairs; pair++)
        {
            switch (reader.ReadText())
            {
                case "pile":
                    header = header with { Identity = reader.ReadUInt64() };
                    break;
                case "promise":
                    string name = reader.ReadText();
                    header = header with { Promise = Enum.TryParse(name, out PilePromise promise) && Enum.IsDefined(promise) ? promise : PilePromise.Memory };
                    break;
                case "tag":
                    header = header with { Tag = (byte)reader.ReadRange(1, byte.MaxValue) };
                    break;
                case "generation":
                    header = header with { FirstGeneration = (uint)reader.ReadRange(1, EntryWord.GenerationLast) };
                    break;
                case "objects":
                    header = header with { Objects = reader.ReadRange(0, Limits.SlotsMax) };
                    break;
                case "numbers":
                    header = header with { TypeNumberBound = (uint)reader.ReadRange(1, CodecLimits.TypeVersionsMax + 1) };
                    break;
                default:
                    reader.Skip();
                    break;
            }
        }

        if (header.Tag == 0)
        {
            Throw.CorruptedValue("a header without a tag", reader.Position);
        }

        return header;
    }
}
