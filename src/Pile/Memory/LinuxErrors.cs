// From error numbers (errno(3), as Linux has them on every 64-bit processor of .NET) to FileCallException.
// Interrupted calls are made again; nothing else is.
using System;
using System.Runtime.InteropServices;

namespace Pile.Memory;

/// <summary>Error numbers of Linux.</summary>
internal static class LinuxErrors
{
    internal const int Interrupted = 4;
    internal const int InputOutput = 5;
    internal const int WouldBlock = 11;
    internal const int OutOfMemory = 12;
    internal const int AccessDenied = 13;
    internal const int InvalidArgument = 22;
    internal const int NoSpace = 28;
    internal const int ReadOnlyFiles = 30;
    internal const int NoLocks = 37;
    internal const int NoSuchCall = 38;
    internal const int NotSupported = 95;
    internal const int StaleHandle = 116;
    internal const int RemoteInputOutput = 121;
    internal const int QuotaExceeded = 122;

    /// <summary>Makes a call that returns a negative number on failure, again while it is interrupted.</summary>
    /// <returns>0, or the error number.</returns>
    internal static int Try(Func<int> call)
    {
        int error;
        do
        {
            error = Of(call());
        }
        while (error == Interrupted);
        return error;
    }

    /// <summary>What became of a call that returned just now, on this thread: 0, or the error number. For loops of their own, which allocate nothing.</summary>
    // SAFETY: reads only the error number that the call before has left.
    internal static int Of(int result) => result < 0 ? Marshal.GetLastPInvokeError() : 0;

    /// <summary>Whether an answer to the question what befell a file's pages says that some are lost. All others say that nobody can be asked: gVisor has no such call, and filters of calls refuse it.</summary>
    internal static bool IsLoss(int error) => error is InputOutput or NoSpace or QuotaExceeded or StaleHandle or ReadOnlyFiles or RemoteInputOutput;

    /// <summary>As <see cref="Try"/>, and throws what remains.</summary>
    internal static void Check(Func<int> call, string name, string path)
    {
        int error = Try(call);
        if (error != 0)
        {
            throw Failure(error, name, path);
        }
    }

    // SAFETY: asks the framework for a text by number.
    internal static FileCallException Failure(int error, string name, string path) => new(name, path, $"{Marshal.GetPInvokeErrorMessage(error)} (errno {error})", error switch
    {
        2 => FileFailure.Missing,
        17 => FileFailure.Exists,
        1 or 13 => FileFailure.Denied,
        ReadOnlyFiles => FileFailure.TakesNoWrites,
        20 or 21 or 40 => FileFailure.WrongKind,
        23 or 24 => FileFailure.NoHandle,
        NoSpace or QuotaExceeded => FileFailure.NoSpace,
        _ => FileFailure.Other,
    });
}
