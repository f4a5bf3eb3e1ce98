// What a caller of Open gets for the failures of file calls that he can mend: the framework's exceptions where there are such,
// PileFullException for a full device, PileFormatException where something else stands in the place of one of the pile's files. Any
// other is an IOException with the system's words.
using System;
using System.IO;
using Pile.Memory;

namespace Pile.Persistence;

/// <summary>Failures of file calls, as the caller of the pile gets them.</summary>
internal static class DirectoryErrors
{
    /// <summary>The exception to throw for a failed call.</summary>
    /// <param name="failure">The failure.</param>
    /// <param name="isOfPile">Whether it concerns one of the files of a directory that holds a pile, not the way to it.</param>
    internal static Exception For(FileCallException failure, bool isOfPile) => failure.Failure switch
    {
        FileFailure.Denied => new UnauthorizedAccessException(
            $"{failure.Message} The pile needs the right to do that: with OpenMode = ReadOnly to read, with the others to write too.", failure),
        FileFailure.TakesNoWrites => new UnauthorizedAccessException(
            $"{failure.Message} Its file system is mounted read-only, or an error of its device made it so: see to the device and mount it for writing, then open the pile again, or read it with OpenMode = ReadOnly.", failure),
        FileFailure.NoSpace => new PileFullException(
            $"{failure.Message} Free space on the device of '{failure.Path}', or raise its quota.", path: failure.Path, cause: failure),
        FileFailure.NoHandle => new IOException(
            $"{failure.Message} The process or the system has as many files open as it may: raise the limit (ulimit -n, LimitNOFILE), or close some, then try again.", failure),
        FileFailure.TooLong => new PileFullException(
            $"{failure.Message} Raise that limit (ulimit -f, LimitFSIZE), then try again.", path: failure.Path, cause: failure),
        FileFailure.WrongKind when isOfPile => new PileFormatException(
            $"{failure.Message} A pile's files are plain files in its own directory: restore the file, or remove what stands in its place.", failure.Path),
        FileFailure.WrongKind => new IOException(
            $"{failure.Message} A pile is a directory of its own: give a path that is one, or that is free.", failure),
        FileFailure.Missing when !isOfPile => new FileNotFoundException(
            $"{failure.Message} Give the path of a pile, or one where a directory can be made.", failure.Path, failure),
        FileFailure.Missing => new FileNotFoundException(
            $"{failure.Message} Restore what is missing; a missing '{StoreNames.Lock}' is made anew by an open for writing.", failure.Path, failure),
        _ => new IOException($"{failure.Message} See to the device, then open the pile again.", failure),
    };

    /// <summary>What a call answers, or null when it failed: for figures that nothing depends on.</summary>
    internal static long? TryAsk(Func<long> call)
    {
        try
        {
            return call();
        }
        catch (FileCallException)
        {
            return null;
        }
    }
}
