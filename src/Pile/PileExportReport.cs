// What an export holds.
// The moment is the one at which the export began.
namespace Pile;

/// <summary>Outcome of <see cref="ObjectPileExport.Export"/>.</summary>
/// <param name="Objects">Objects.</param>
/// <param name="Types">Schema records of types.</param>
/// <param name="Roots">Roots.</param>
/// <param name="Bytes">Bytes of the stream.</param>
public sealed record PileExportReport(long Objects, int Types, int Roots, long Bytes);
