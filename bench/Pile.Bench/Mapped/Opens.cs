using System;
using System.Collections.Generic;
using System.Globalization;
using Pile.Bench.Running;

namespace Pile.Bench.Mapped;

/// <summary>From the call of Open to the first object read and the first one put, in a fresh process: after a close and after a kill,
/// with the library as the package has it and with the JIT alone, for a pile and for one of five times the objects.</summary>
internal sealed class Opens : IWorkload
{
    private const int Larger = 5;

    // What a killed child has put into the segments that it leaves open.
    private const int ObjectsBeforeKill = 40_000;
    private const double NsOfMs = 1e6;
    private readonly BenchSettings _settings;
    private readonly Workplace _place;
    private (string Name, string Program)[] _programs = [];
    private int _round;

    internal Opens(BenchSettings settings)
    {
        _settings = settings;
        _place = Workplace.OnDisk(settings, "open");
        string what = $"{settings.Objects:N0} objects of 100 B";
        string larger = $"{(long)settings.Objects * Larger:N0} over {settings.Objects:N0} objects";
        Rows =
        [
            Absolute("open after a close", "clean", 50, 10, $"{what}: from the call of Open until a root's object was read and another put, by a process just started; page cache warm. Pile.dll as the package has it."),
            Absolute("the same, JIT alone", "clean, JIT alone", null, null, "Pile.dll without the code of ReadyToRun."),
            Absolute("of it until Open returned", "clean, opened", null, null, "with the code."),
            Absolute("of it in the JIT", "clean, compiled", null, null, "what the calling thread compiled: generic code of the framework for types that it was not precompiled for."),
            Ratio($"open after a close, {larger}", "clean", "the same for a pile of five times the objects, over it."),
            Absolute("open after kill -9", "killed", 150, 30, $"the process before had put {ObjectsBeforeKill:N0} objects by two threads, and was killed."),
            Absolute("the same, JIT alone", "killed, JIT alone", null, null, "Pile.dll without the code of ReadyToRun."),
            Absolute("of it until Open returned", "killed, opened", null, null, "with the code."),
            Ratio($"open after kill -9, {larger}", "killed", "the same for a pile of five times the objects, over it."),
        ];
    }

    public IReadOnlyList<Row> Rows { get; }

    public void Prepare()
    {
        _programs = [("", Precompiled.Copy(_place.Of("precompiled"))), (", JIT alone", AppContext.BaseDirectory)];
        MappedData.Fill(_place.Of("one"), _settings.Objects, PilePromise.PowerSafe);
        MappedData.Fill(_place.Of("five"), checked(_settings.Objects * Larger), PilePromise.PowerSafe);
        Round(new Samples());
    }

    public void Round(Samples samples)
    {
        samples.Keep("ms", new Spent(1, 1));
        bool oneFirst = (_round++ & 1) == 0;
        foreach (string pile in oneFirst ? ["one", "five"] : (string[])["five", "one"])
        {
            foreach ((string name, string program) in _programs)
            {
                string suffix = (pile == "five" ? " 5" : "") + name;
                Sample(samples, pile, program, "clean" + suffix, PileOpening.Clean, isKilled: true);
                Sample(samples, pile, program, "killed" + suffix, PileOpening.RolledForward, isKilled: false);
            }
        }
    }

    public void Dispose() => _place.Dispose();

    private void Sample(Samples samples, string pile, string program, string series, PileOpening expected, bool isKilled)
    {
        int objects = isKilled ? ObjectsBeforeKill : 0;
        using var child = new Child(program, _place.Of(pile), MappedChild.Found, objects.ToString(CultureInfo.InvariantCulture));
        Told told = Told.Read(child);
        if (told.Opening != expected)
        {
            throw new InvalidOperationException($"{series}: the pile was opened {told.Opening}, not {expected}.");
        }

        samples.Keep(series, (told.Open + told.Get + told.Put) / NsOfMs);
        samples.Keep(series + ", opened", told.Open / NsOfMs);
        samples.Keep(series + ", compiled", told.Jit / NsOfMs);
        _ = child.Next();
        if (isKilled)
        {
            child.Kill();
        }
        else
        {
            child.Close();
        }
    }

    private static Row Absolute(string name, string series, double? must, double? reach, string definition) =>
        Row.Slower(name, series, "ms", must, reach, definition + " Ratio to 1 ms.") with { Unit = "ms" };

    private static Row Ratio(string name, string series, string definition) =>
        Row.Slower(name, series + " 5", series, must: 1.2, reach: null, definition) with { Unit = "ms" };
}
