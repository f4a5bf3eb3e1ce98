// Blocks of an extent whose space goes back to the device whole, or not at all. The system may hold a block by one page: a hole in a part of it, while another is
// stored into, leaves that page over the hole, and the next store dirties all of it (decision 59).
namespace Pile.Memory;

/// <summary>The blocks of an extent; of the default none, and space goes back page by page.</summary>
/// <param name="From">Where in the extent they begin; before that, space goes back page by page.</param>
/// <param name="Bytes">Length of each but the last, which ends with the extent.</param>
internal readonly record struct SpaceBlocks(long From, long Bytes)
{
    /// <summary>Where the block begins that an offset lies within; the offset, where it begins one or lies in none.</summary>
    internal long Floor(long offset) => Bytes == 0 || offset <= From ? offset : offset - ((offset - From) % Bytes);

    /// <summary>Where the first block begins at or behind an offset; the offset, where it lies in none.</summary>
    internal long Ceiling(long offset) => Bytes == 0 || offset <= From ? offset : Floor(offset + Bytes - 1);
}
