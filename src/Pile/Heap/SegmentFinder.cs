// Finds the segment of a location that nothing is known of, for Verify: not through the extent map, in which a damaged location
// must not be looked up. Extents come in rising order.
using Pile.Primitives;
using Pile.Segments;

namespace Pile.Heap;

/// <summary>Looks for segments by location. Used by one thread.</summary>
/// <param name="directory">The segments.</param>
internal sealed class SegmentFinder(SegmentDirectory directory)
{
    private Segment? _found;

    /// <summary>The segment that holds a location, or null.</summary>
    internal Segment? At(long location)
    {
        // Neighbours in the table mostly are neighbours in the log.
        if (_found is { } last && location >= last.Location && location < last.Location + (last.Bytes / Limits.WordBytes))
        {
            return last;
        }

        int low = 0;
        int high = directory.Count - 1;
        while (low <= high)
        {
            int middle = (low + high) / 2;
            Segment segment = directory[middle];
            if (location < segment.Location)
            {
                high = middle - 1;
            }
            else if (location >= segment.Location + (segment.Bytes / Limits.WordBytes))
            {
                low = middle + 1;
            }
            else
            {
                return _found = segment;
            }
        }

        return null;
    }
}
