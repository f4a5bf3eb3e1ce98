// Which exit code a failure has, and its words: the message of the library, which names the value, the limit and the way out, in
// the terms of this command. No stack is printed; a failure that is none of these is a defect of the program, and says so.
using System;
using System.IO;
using Grpc.Core;
using Pile.Client;

namespace Pile.Tool.Running;

/// <summary>Failures as exit codes and messages.</summary>
internal static class Failures
{
    /// <summary>The exit code of a failure.</summary>
    internal static ExitCode CodeOf(Exception failure, ExitCode cancelled) => failure switch
    {
        ToolException tool => tool.Code,
        OperationCanceledException => cancelled,
        OutputClosedException => ExitCode.OutputClosed,
        PileClientException call => CodeOf(call),
        PileCorruptedException => ExitCode.Damaged,
        PileLockedException => ExitCode.InUse,
        PileStaleException => ExitCode.NotFound,
        PileException { Status: PileStatus.WrongPile } => ExitCode.NotFound,
        PileException { Status: PileStatus.Format } or DirectoryNotFoundException or FileNotFoundException or PlatformNotSupportedException => ExitCode.NoPile,
        PileException or IOException or UnauthorizedAccessException => ExitCode.Failed,
        ArgumentException => ExitCode.Usage,
        _ => ExitCode.Defect,
    };

    private static ExitCode CodeOf(PileClientException failure) => failure.Code switch
    {
        StatusCode.Unauthenticated or StatusCode.PermissionDenied => ExitCode.Denied,
        StatusCode.NotFound => ExitCode.NotFound,
        StatusCode.InvalidArgument => ExitCode.Usage,
        StatusCode.DataLoss => ExitCode.Damaged,
        StatusCode.Unavailable or StatusCode.DeadlineExceeded => ExitCode.Unreachable,
        _ => ExitCode.Failed,
    };

    /// <summary>The process that is in the way; 0 when none is, or it can't be named.</summary>
    internal static int ProcessOf(Exception failure) => failure switch
    {
        PileLockedException locked => locked.OwnerProcessId,
        ToolException tool => tool.ProcessId,
        _ => 0,
    };

    /// <summary>The words of a failure, on one line.</summary>
    internal static string MessageOf(Exception failure, string verb)
    {
        string message = failure switch
        {
            OperationCanceledException => "Stopped before the end; nothing is left half done.",
            PileCorruptedException corrupted => InTermsOfTheTool(corrupted.Message),
            PileLockedException locked when verb == "copy" => $"{locked.Message} A running program copies its own pile by pile.CopyTo(directory).",
            PileException or IOException or UnauthorizedAccessException or PlatformNotSupportedException or ToolException or PileClientException => InTermsOfTheTool(failure.Message),
            ArgumentException argument => argument.Message.Replace($" (Parameter '{argument.ParamName}')", "", StringComparison.Ordinal),
            _ => $"A defect of this program, not of the pile: {failure.GetType().Name}: {failure.Message} Please report it, with PILE_TRACE=1 set for where it was.",
        };
        return message.ReplaceLineEndings(" ");
    }

    /// <summary>The library names its options; the command has verbs for them.</summary>
    private static string InTermsOfTheTool(string message) => message
        .Replace("Send 'authorization: Bearer ' and a token, or connect with a certificate, that has it.", "Give a token (--token, or the variable PILE_TOKEN) or a certificate (--cert) that has it.", StringComparison.Ordinal)
        .Replace("Send 'authorization: Bearer ' and a token that the server knows.", "Give one that the server knows (--token, or the variable PILE_TOKEN).", StringComparison.Ordinal)
        .Replace("Make it by Tables/Create (of the .NET client: CreateTableAsync), or leave the name empty for the table 'default'.", "'pile tables' lists those that there are, and makes one by --create.", StringComparison.Ordinal)
        .Replace("Tls.AuthorityFile", "--ca", StringComparison.Ordinal)
        .Replace("Tls.CertificateFile", "--cert", StringComparison.Ordinal)
        .Replace("PileSalvage.Run brings what is whole into a new directory; AcceptLoss = true opens it as it is.", "'pile recover' brings what is whole into a new directory.", StringComparison.Ordinal)
        .Replace("PileSalvage.Run brings what is there into a new directory; AcceptLoss = true opens it as it is.", "'pile recover' brings what is there into a new directory.", StringComparison.Ordinal)
        .Replace("or let PileSalvage.Run bring what is left into a new directory", "or let 'pile recover' bring what is left into a new directory", StringComparison.Ordinal)
        .Replace("Delete it, or restore the directory from a copy.", "'pile recover' brings what is whole into a new directory.", StringComparison.Ordinal)
        .Replace(", and OpenMode = OpenExisting creates none", "", StringComparison.Ordinal)
        .Replace(", and OpenMode = ReadOnly creates none", "", StringComparison.Ordinal)
        .Replace(", and OpenMode = CreateNew opens none. Open it by another mode, or give", ". Give", StringComparison.Ordinal)
        .Replace(": with OpenMode = ReadOnly to read, with the others to write too", "", StringComparison.Ordinal)
        .Replace("; OpenMode = OpenOrCreate creates one", "", StringComparison.Ordinal);
}
