// Files that a verb reads beside a pile: what is to be imported, or stored.
// One that is missing is a file call that failed, and no missing pile.
using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;

namespace Pile.Tool.Running;

/// <summary>Files of input.</summary>
internal static class InputFile
{
    private const string Standard = "-";

    /// <summary>Opens a file to read it.</summary>
    /// <param name="path">Its path; - for standard input.</param>
    /// <param name="what">What it should be, for the message.</param>
    /// <param name="stop">Ends what waits for who writes it.</param>
    /// <exception cref="ToolException">It is missing, a directory, or not this user's to read.</exception>
    internal static Stream Open(string path, string what, CancellationToken stop)
    {
        try
        {
            // A named pipe opens when somebody writes it.
            Stream source = path == Standard ? Console.OpenStandardInput() : Task.Run(() => File.OpenRead(path), stop).WaitAsync(stop).GetAwaiter().GetResult();
            return source.CanSeek ? source : new StoppableInput(source, stop);
        }
        catch (Exception failure) when (failure is FileNotFoundException or DirectoryNotFoundException)
        {
            throw Refusal(path, "there is no such file", what);
        }
        catch (UnauthorizedAccessException)
        {
            throw Refusal(path, Directory.Exists(path) ? "it is a directory" : "this user has no right to", what);
        }
    }

    private static ToolException Refusal(string path, string why, string what) =>
        new(ExitCode.Failed, $"'{path}' can't be read: {why}. Give {what}, or - for standard input.");
}
