// What the files of a pile know of its types: the schema records that an open found, and how far numbers were issued. The latter stands in
// meta, because a schema record may be lost, to damage or with its segment, while objects that name its number are there: another type under
// that number would read them (decision 76).
using System.Collections.Generic;
using System.Linq;
using Pile.Codecs;
using Pile.Primitives;

namespace Pile.Heap;

/// <summary>The types of a pile in files. One thread at a time.</summary>
/// <param name="heap">The files.</param>
internal sealed class StoredTypes(DurableHeap heap)
{
    private uint _bound;
    private int _lastNumber;

    /// <summary>The schema records, as an open found them.</summary>
    internal List<byte[]> Schemas { get; } = [];

    /// <summary>Gives them to a table of types, and reports the numbers that two of them have.</summary>
    internal void Load(TypeTable types)
    {
        Schemas.ForEach(schema => types.Load(schema));
        _bound = heap.Directory.Meta.TypeNumberBound;
        types.GoOnBehind(_bound);
        IEnumerable<PileDamageReport> disputed = types.Disputed().Select(what => new PileDamageReport(
            heap.Directory.FullPath, $"{what}: its objects can't be read, for nothing says which are of which type; Lease has their bytes. What is put from now on gets other numbers."));
        heap.Report = heap.Report with { Damages = [.. heap.Report.Damages, .. disputed] };
    }

    /// <inheritdoc cref="ISchemaStore.Issue"/>
    internal PileStatus Issue(int lastNumber)
    {
        if (!heap.Core.TryEnterCare())
        {
            return PileStatus.Disposed;
        }

        try
        {
            uint bound = (uint)lastNumber + 1 + FileLimits.TypeNumbersGranted;
            if (heap.Core.WriteRefusal != PileStatus.Ok)
            {
                return heap.Core.WriteRefusal;
            }

            if (lastNumber >= _bound && !heap.TryFiles(() => heap.Directory.WriteMeta(meta => meta with { TypeNumberBound = bound })))
            {
                return PileStatus.Poisoned;
            }

            _bound = lastNumber >= _bound ? bound : _bound;
            _lastNumber = lastNumber;
            return PileStatus.Ok;
        }
        finally
        {
            heap.Core.ExitCare();
        }
    }

    /// <summary>Gives back what was granted and not issued, when the pile is closed.</summary>
    internal uint BoundAtClose() => _lastNumber > 0 ? (uint)_lastNumber + 1 : heap.Directory.Meta.TypeNumberBound;
}
