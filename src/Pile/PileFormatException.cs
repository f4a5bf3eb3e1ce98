// The exception of PileStatus.Format, apart from its base so that it can be caught alone.
// The files are not damaged as far as can be told, or so badly that it can't be told whose they are; nothing was changed.
namespace Pile;

/// <summary>A directory, a file or a stream is not a pile's, or not one that this version can use; nothing was changed.</summary>
public sealed class PileFormatException : PileException
{
    internal PileFormatException(string message, string? path = null)
        : base(PileStatus.Format, message, path: path)
    {
    }
}
