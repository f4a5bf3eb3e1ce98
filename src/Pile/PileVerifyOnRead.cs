// How often a pile of files compares what it reads with its checksums.
// Corrupt objects that were found once are refused in every mode.
namespace Pile;

/// <summary>When reads verify checksums.</summary>
public enum PileVerifyOnRead
{
    /// <summary>Each object that was there when the pile was opened is verified when it is first read.</summary>
    FirstTouch = 0,

    /// <summary>Each read verifies, of objects that were put since as well.</summary>
    Always = 1,

    /// <summary>Reads verify the header, which says whose the bytes are, and where those of a large object lie, but not the bytes.</summary>
    Never = 2,
}
