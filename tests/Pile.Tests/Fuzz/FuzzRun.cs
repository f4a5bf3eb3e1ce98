using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using System.Threading;
using Microsoft.Win32.SafeHandles;

namespace Pile.Tests.Fuzz;

/// <summary>Tries one hostile input after the other; one that meets a new outcome is changed further. PILE_FUZZ_CASE tries one case, PILE_SEED begins
/// elsewhere, PILE_FUZZ_SECONDS goes on for so long, PILE_FUZZ_KEEP is a directory in which the run keeps what it has learned, for the next one,
/// and which case it is at, for when the process ends.</summary>
internal sealed class FuzzRun(FuzzTarget target, string name, Action<string> tell)
{
    private const int SeedFirst = 20_261_124;
    private const int FoundMax = 40;
    private const int NoteBytes = 256;
    private static readonly TimeSpan _caseMax = TimeSpan.FromMinutes(2);
    private readonly HashSet<string> _shapes = [];
    private readonly List<FuzzCase> _corpus = [];
    private readonly Dictionary<string, string> _found = [];
    private readonly string? _keep = Environment.GetEnvironmentVariable("PILE_FUZZ_KEEP");
    private SafeFileHandle? _note;
    private FuzzCase? _now;
    private long _began;
    private int _cases;

    /// <summary>Whether the run was asked to take its time; then nothing else runs beside it.</summary>
    internal static bool IsLong => Environment.GetEnvironmentVariable("PILE_FUZZ_SECONDS") is { Length: > 0 };

    /// <summary>Runs, and fails when something was found.</summary>
    /// <param name="casesShort">How many inputs are tried unless a time is given.</param>
    internal void Run(int casesShort)
    {
        if (Environment.GetEnvironmentVariable("PILE_FUZZ_CASE") is { Length: > 0 } given)
        {
            target.Try(FuzzCase.Parse(given), []);
            return;
        }

        int seed = int.Parse(Environment.GetEnvironmentVariable("PILE_SEED") ?? $"{SeedFirst}", CultureInfo.InvariantCulture);
        TimeSpan? time = IsLong ? TimeSpan.FromSeconds(int.Parse(Environment.GetEnvironmentVariable("PILE_FUZZ_SECONDS")!, CultureInfo.InvariantCulture)) : null;
        Learn();
        int learned = _corpus.Count;
        using (ITimer watch = TimeProvider.System.CreateTimer(_ => Watch(), null, _caseMax, TimeSpan.FromSeconds(1)))
        {
            TryAll(new Random(seed), casesShort, time);
        }

        KeepCount();
        tell($"{name}: seed {seed}, {_cases:N0} cases, {_shapes.Count:N0} outcomes, {_corpus.Count - learned} new cases that met one, {_found.Count} found");
        if (_found.Count > 0)
        {
            throw new FuzzFoundException($"{_found.Count} found by {name}:\n{string.Join("\n\n", _found.Values)}");
        }
    }

    private void TryAll(Random random, int casesShort, TimeSpan? time)
    {
        long began = TimeProvider.System.GetTimestamp();
        for (int origin = 0; origin < target.Origins; origin++)
        {
            Try(new FuzzCase(origin, []));
        }

        while (time is { } limit ? TimeProvider.System.GetElapsedTime(began) < limit : _cases < casesShort)
        {
            Try(Next(random));
        }
    }

    /// <summary>A new input, or a change more of one that met something new; of those rather a late one.</summary>
    private FuzzCase Next(Random random)
    {
        if (_corpus.Count == 0 || random.Next(3) == 0)
        {
            return new FuzzCase(random.Next(target.Origins), [.. Enumerable.Range(0, random.Next(1, 4)).Select(_ => random.Next())]);
        }

        return _corpus[int.Max(random.Next(_corpus.Count), random.Next(_corpus.Count))].With(random.Next());
    }

    private void Try(FuzzCase input)
    {
        Note(input);
        List<string> shapes = [];
        try
        {
            target.Try(input, shapes);
        }
        catch (FuzzFoundException found) when (_found.Count < FoundMax)
        {
            string shape = FuzzShape.Of(found.Message.Split('\n')[0]);
            if (_found.TryAdd(shape, $"[PILE_FUZZ_CASE={input}] {found.Message}"))
            {
                shapes.Add(shape);
                KeepFound(input, found);
            }
        }

        Volatile.Write(ref _now, null);
        _cases++;
        string[] met = [.. shapes.Where(_shapes.Add)];
        if (met.Length > 0)
        {
            _corpus.Add(input);
            Keep(input, met);
        }
    }

    private void Note(FuzzCase input)
    {
        _began = TimeProvider.System.GetTimestamp();
        Volatile.Write(ref _now, input);
        if (_note is not null)
        {
            byte[] bytes = new byte[NoteBytes];
            _ = Encoding.ASCII.GetBytes($"PILE_FUZZ_CASE={input} after {_cases}".PadRight(NoteBytes - 1) + "\n", bytes);
            RandomAccess.Write(_note, bytes, 0);
        }
    }

    private void Watch()
    {
        if (Volatile.Read(ref _now) is { } input && TimeProvider.System.GetElapsedTime(_began) > _caseMax)
        {
            Environment.FailFast($"{name}: PILE_FUZZ_CASE={input} takes no end.");
        }
    }

    private string FileOf(string kind) => Path.Combine(_keep!, $"{name}.{kind}");

    private void Learn()
    {
        if (_keep is null)
        {
            return;
        }

        _note = File.OpenHandle(FileOf("now"), FileMode.Create, FileAccess.Write, FileShare.Read);
        if (File.Exists(FileOf("corpus")))
        {
            foreach (string[] line in File.ReadLines(FileOf("corpus")).Select(static line => line.Split('\t')))
            {
                _corpus.Add(FuzzCase.Parse(line[0]));
            }
        }

        if (File.Exists(FileOf("shapes")))
        {
            _shapes.UnionWith(File.ReadLines(FileOf("shapes")));
        }
    }

    // At once: the next case may end the process.
    private void Keep(FuzzCase input, string[] met)
    {
        if (_keep is not null)
        {
            File.AppendAllLines(FileOf("corpus"), [input.ToString()]);
            File.AppendAllLines(FileOf("shapes"), met.Select(static shape => shape.ReplaceLineEndings(" ")));
        }
    }

    private void KeepCount()
    {
        if (_keep is not null)
        {
            _note?.Dispose();
            File.Delete(FileOf("now"));
            File.AppendAllText(FileOf("cases"), $"{_cases}\n");
        }
    }

    private void KeepFound(FuzzCase input, FuzzFoundException found)
    {
        if (_keep is not null)
        {
            File.AppendAllText(FileOf("found"), $"PILE_FUZZ_CASE={input}\n{found}\n\n");
        }
    }
}
