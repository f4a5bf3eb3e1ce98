// Standard error as the console's writer, for what this program writes and for the bar, which draws on a thread of its own. Where it takes nothing, because
// its device is full, it is closed or its terminal is gone, what was to be said is left out: the work goes on, and the exit code says how it ended.
using System;
using System.IO;
using System.Text;

namespace Pile.Tool.Output;

/// <summary>Standard error that never fails.</summary>
/// <param name="target">Where to.</param>
internal sealed class StandardError(TextWriter target) : TextWriter
{
    /// <inheritdoc/>
    public override Encoding Encoding => target.Encoding;

    /// <summary>Makes the console's standard error one.</summary>
    internal static void Take() => Console.SetError(new StandardError(Console.Error));

    /// <inheritdoc/>
    public override void Write(char value) => Try(() => target.Write(value));

    /// <inheritdoc/>
    public override void Write(char[] buffer, int index, int count) => Try(() => target.Write(buffer, index, count));

    /// <inheritdoc/>
    public override void Write(string? value) => Try(() => target.Write(value));

    /// <inheritdoc/>
    public override void WriteLine(string? value) => Try(() => target.WriteLine(value));

    /// <inheritdoc/>
    public override void Flush() => Try(target.Flush);

    private static void Try(Action write)
    {
        try
        {
            write();
        }
        catch (Exception failure) when (failure is IOException or UnauthorizedAccessException)
        {
            // Nobody is there to be told.
        }
    }
}
