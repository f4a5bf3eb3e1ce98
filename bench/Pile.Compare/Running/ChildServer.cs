using System;
using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using Pile.Compare.Contestants;
using Pile.Compare.Workloads;

namespace Pile.Compare.Running;

/// <summary>A contestant's process: reads a command a line from standard input, answers each with a line of JSON, and ends with
/// its input.</summary>
internal sealed class ChildServer(int setting, int objects, int randomOperations, int warmMs)
{
    internal const string RoundCommand = "round";
    internal const string WarmCommand = "warm";
    internal const string DigestCommand = "digest";

    internal int Setting { get; } = setting;

    internal int Objects { get; } = objects;

    internal void Serve<TOperations>(IContestant<TOperations> contestant)
        where TOperations : struct, IOperations
    {
        using var arena = new Arena<TOperations>(contestant, Objects, randomOperations);
        Say(new { ready = true });
        while (Console.ReadLine() is { } line)
        {
            string[] words = line.Split('|');
            int number = int.Parse(words[^1], CultureInfo.InvariantCulture);
            switch (words[0])
            {
                case RoundCommand:
                    Say(WorkloadList.Of(words[1]).Round(arena, number));
                    break;
                case WarmCommand:
                    long start = Stopwatch.GetTimestamp();
                    Measured warm;
                    do
                    {
                        warm = WorkloadList.Of(words[1]).Round(arena, number);
                    }
                    while (Stopwatch.GetElapsedTime(start).TotalMilliseconds < warmMs);
                    Say(warm);
                    break;
                case DigestCommand:
                    Say(arena.Digest(number));
                    break;
                default:
                    throw new ArgumentException($"'{line}' is no command.");
            }
        }
    }

    private static void Say<T>(T answer)
    {
        Console.WriteLine(JsonSerializer.Serialize(answer));
        Console.Out.Flush();
    }
}
