// A pile as a stream: all objects, types and roots of one moment in MessagePack, for other piles (PileImport) and for other programs.
// A copy of a pile's files, which is faster and opens as it is, is ObjectPileDurability.CopyTo. The layout is docs/EXPORT.md.
using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using Pile.Format;
using Pile.Heap;

namespace Pile;

/// <summary>Exports of a pile.</summary>
public static class ObjectPileExport
{
    /// <summary>Writes all that the pile holds, as it is at the moment of the call, beside its users.</summary>
    /// <param name="pile">The pile, in memory or in files, open for reading alone or not.</param>
    /// <param name="target">Where to; written from its present position on, neither flushed nor closed.</param>
    /// <param name="progress">Gets the progress; null for none.</param>
    /// <param name="cancellationToken">Ends the export. What was written has no end then, and no import accepts it.</param>
    /// <returns>What was written.</returns>
    /// <exception cref="ArgumentException">The stream can't be written.</exception>
    /// <exception cref="PilePoisonedException">Of a pile in files: the system could not write back pages of its table of objects.</exception>
    /// <exception cref="PileCorruptedException">An object in files is damaged; what was written is no export. Delete it or update it first.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled.</exception>
    /// <exception cref="ObjectDisposedException">The pile was disposed.</exception>
    /// <remarks>Writers are held while the table is copied, 8 bytes a slot. From then until the call returns memory that is freed is not
    /// used again, as under a long lease (<see cref="PileStatistics.OldestStay"/>): a pile near its limit may answer Full.
    /// Objects are written as they are stored, and not decoded. What the stream throws goes through.</remarks>
    public static PileExportReport Export(this ObjectPile pile, Stream target, IProgress<PileTransferProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        RequireWritable(pile, target);
        return Run(pile, bytes => target.Write(bytes.Span), progress, cancellationToken);
    }

    /// <summary>As <see cref="Export"/>, on a thread of the pool; the stream's <c>WriteAsync</c> is used, one call after the other.</summary>
    /// <inheritdoc cref="Export"/>
    public static Task<PileExportReport> ExportAsync(
        this ObjectPile pile, Stream target, IProgress<PileTransferProgress>? progress = null, CancellationToken cancellationToken = default)
    {
        RequireWritable(pile, target);

        // One thread from beginning to end: it is the one that stays in the moment's epoch.
        return Task.Run(() => Run(pile, bytes => target.WriteAsync(bytes, cancellationToken).AsTask().GetAwaiter().GetResult(), progress, cancellationToken), cancellationToken);
    }

    private static PileExportReport Run(ObjectPile pile, Action<ReadOnlyMemory<byte>> write, IProgress<PileTransferProgress>? progress, CancellationToken cancellationToken)
    {
        var blocks = new ExportWriter(write, cancellationToken);
        if (pile.Core is HeapCore<MemoryRecord> memory)
        {
            return new HeapExport<MemoryRecord>(memory, pile.Promise(), pile.Roots, pile.TypeTable, static () => { }).Run(blocks, progress);
        }

        var files = (HeapCore<DurableRecord>)pile.Core;
        files.WaitCounted(cancellationToken);
        if (pile.Durable!.Upkeep.Recounting.TableDamages > 0)
        {
            throw new PileCorruptedException(
                $"'{pile.Durable.Directory.FullPath}': {pile.Durable.Upkeep.Recounting.TableDamages:N0} entries of the table are damaged, so that not every object can be found. Close the pile and {pile.Durable.WayToBuild}, then export it.",
                path: pile.Durable.Directory.FullPath);
        }

        return new HeapExport<DurableRecord>(files, pile.Promise(), pile.Roots, pile.TypeTable, () => pile.Durable.Failed.RefuseLost(pile.Durable.Flusher.Fail)).Run(blocks, progress);
    }

    private static void RequireWritable(ObjectPile pile, Stream target)
    {
        ArgumentNullException.ThrowIfNull(pile);
        ArgumentNullException.ThrowIfNull(target);
        if (!target.CanWrite)
        {
            throw new ArgumentException("The stream can't be written.", nameof(target));
        }
    }
}
