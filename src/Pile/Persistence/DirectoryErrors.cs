// What a caller of Open gets for the failures of file calls that he can mend: the framework's exceptions where there are such,
// PileFullException for a full device. Any other stays what it is, an IOException with the system's words.
using System;
using System.IO;
using Pile.Memory;

namespace Pile.Persistence;

/// <summary>Failures of file calls, as the caller of the pile gets them.</summary>
internal static class DirectoryErrors
{
    /// <summary>The exception to throw for a failed call.</summary>
    internal static Exception For(FileCallException failure) => failure.Failure switch
    {
        FileFailure.Denied => new UnauthorizedAccessException(
            $"{failure.Message} The pile needs the right to do that; for reading alone, OpenMode = ReadOnly.", failure),
        FileFailure.NoSpace => new PileFullException(
            $"{failure.Message} Free space on the device of '{failure.Path}', or raise its quota.", path: failure.Path, cause: failure),
        FileFailure.WrongKind => new IOException(
            $"{failure.Message} A pile is a directory of its own: give a path that is one, or that is free.", failure),
        FileFailure.Missing => new FileNotFoundException(failure.Message, failure.Path, failure),
        _ => failure,
    };
}
