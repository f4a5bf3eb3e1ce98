using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Runtime.InteropServices;
using System.Threading;

namespace WarmRestart;

/// <summary>The demonstration: writes and is killed, starts again and proves; the same with a power cut; and as it was done before.</summary>
/// <param name="options">What to do.</param>
/// <param name="say">Gets a line for each step.</param>
internal sealed class RestartRun(RunOptions options, Action<string> say)
{
    private readonly string _directory = Path.Combine(Path.GetTempPath(), "warm-restart-" + Guid.NewGuid().ToString("N"));
    private int _packages;
    private volatile Process? _child;
    private volatile bool _isAbandoned;

    internal RestartResult Run()
    {
        Directory.CreateDirectory(_directory);

        // Ctrl+C and SIGTERM end the program by themselves; what it wrote so far goes with it.
        using var interrupted = PosixSignalRegistration.Create(PosixSignal.SIGINT, Abandon);
        using var terminated = PosixSignalRegistration.Create(PosixSignal.SIGTERM, Abandon);
        try
        {
            string acknowledged = Path.Combine(_directory, "acknowledged");
            string killed = Path.Combine(_directory, "killed");
            int writes = WriteUntilKilled(killed, acknowledged, "free", atFlush: static () => { });
            Restart afterKill = Read("pile, after SIGKILL", killed, acknowledged, isCut: false);

            string live = Path.Combine(_directory, "live");
            string flushed = Path.Combine(_directory, "flushed");
            string cut = Path.Combine(_directory, "cut");
            var power = new PowerCut(options.Seed);
            int writesBeforeCut = WriteUntilKilled(live, acknowledged, "held", atFlush: () => PowerCut.Image(live, flushed));
            power.Make(flushed, live, cut);
            say(string.Create(CultureInfo.InvariantCulture, $"power cut: {power.Dropped:N0} of {power.Differing:N0} sectors that were not synced are lost"));
            Restart afterCut = Read("pile, after a power cut", cut, acknowledged, isCut: true);
            return new RestartResult(_packages, int.Min(writes, writesBeforeCut), power.Differing, power.Dropped, [afterKill, afterCut, Refill()]);
        }
        catch (Exception) when (_isAbandoned)
        {
            // Its files and children are gone: what failed for that is of no interest. The signal ends the program; until then this waits.
            Thread.CurrentThread.Join();
            throw;
        }
        finally
        {
            Directory.Delete(_directory, recursive: true);
        }
    }

    private void Abandon(PosixSignalContext signal)
    {
        _isAbandoned = true;
        _child?.Kill();
        _child?.WaitForExit();
        Directory.Delete(_directory, recursive: true);
    }

    /// <summary>Lets a child write until it kills itself, and keeps what it acknowledged.</summary>
    /// <returns>Writes acknowledged after the load.</returns>
    private int WriteUntilKilled(string directory, string acknowledged, string how, Action atFlush)
    {
        using Process child = _child = ChildProcess.Start(WritingChild.Verb, directory, Text(options.Packages), Text(options.Writes), Text(options.Seed), how);
        using FileStream file = File.Create(acknowledged);
        Stream pipe = child.StandardOutput.BaseStream;
        byte[] said = new byte[Acknowledgement.Bytes];
        int writes = 0;
        bool isLoaded = false;
        while (pipe.ReadAtLeast(said, said.Length, throwOnEndOfStream: false) == said.Length)
        {
            file.Write(said);
            if (Acknowledgement.Read(said).IsCommit)
            {
                (isLoaded, _packages, writes) = (true, writes, 0);

                // The child waits: nothing is written until it is told to go on.
                atFlush();
                child.StandardInput.BaseStream.WriteByte(1);
                child.StandardInput.BaseStream.Flush();
            }
            else
            {
                writes++;
            }
        }

        child.WaitForExit();
        if (_isAbandoned)
        {
            throw new OperationCanceledException();
        }

        if (child.ExitCode != ChildProcess.Killed || !isLoaded)
        {
            throw new InvalidOperationException($"The writing process ended with {child.ExitCode} instead of being killed.");
        }

        say(string.Create(CultureInfo.InvariantCulture, $"{_packages:N0} packages loaded; killed after {writes:N0} acknowledged writes"));
        return writes;
    }

    private Restart Read(string way, string directory, string acknowledged, bool isCut)
    {
        long start = Stopwatch.GetTimestamp();
        using Process child = _child = ChildProcess.Start(ReadingChild.Verb, directory, acknowledged, isCut ? "cut" : "killed");
        double? firstReadMs = null;
        string[] opened = [];
        string[] proved = [];
        while (child.StandardOutput.ReadLine() is { } line)
        {
            string[] words = line.Split(' ');
            switch (words[0])
            {
                case "read":
                    firstReadMs = Stopwatch.GetElapsedTime(start).TotalMilliseconds;
                    break;
                case "opened":
                    opened = words;
                    break;
                default:
                    proved = words;
                    break;
            }
        }

        Require(child, firstReadMs is not null && opened.Length == 3 && proved.Length == 4 && proved[0] == "proved");
        return new Restart(
            way,
            firstReadMs!.Value,
            double.Parse(opened[2], CultureInfo.InvariantCulture),
            opened[1],
            Number(proved[1]),
            Number(proved[2]),
            Number(proved[3]),
            [new Moment(0, 0), new Moment(firstReadMs.Value, 0), new Moment(firstReadMs.Value, 1)]);
    }

    private Restart Refill()
    {
        long start = Stopwatch.GetTimestamp();
        using Process child = _child = ChildProcess.Start(RefillingChild.Verb, Text(options.Packages));
        List<Moment> moments = [new Moment(0, 0)];
        double? firstReadMs = null;
        while (child.StandardOutput.ReadLine() is { } line)
        {
            double ms = Stopwatch.GetElapsedTime(start).TotalMilliseconds;
            if (line == "read")
            {
                firstReadMs = ms;
            }
            else
            {
                moments.Add(new Moment(ms, double.Parse(line.Split(' ')[1], CultureInfo.InvariantCulture)));
            }
        }

        Require(child, firstReadMs is not null);
        return new Restart("dictionary, filled again", firstReadMs!.Value, null, null, 0, 0, 0, moments);
    }

    private static void Require(Process child, bool isGood)
    {
        child.WaitForExit();
        if (child.ExitCode != 0 || !isGood)
        {
            throw new InvalidDataException($"The process that started again failed with {child.ExitCode}; what it says stands above.");
        }
    }

    private static int Number(string text) => int.Parse(text, CultureInfo.InvariantCulture);

    private static string Text(int value) => value.ToString(CultureInfo.InvariantCulture);
}
