using System;
using System.Globalization;
using Pile;
using Pile.Cache;
using Pile.Cache.Tests.Model;
using Pile.Faults;
using Pile.Tests.Durability.Kill;
using Pile.Tests.Model;

// Runs the suite's scenarios over an engine whose fault PILE_FAULT names. Exit code 0: nothing noticed; 1: noticed, and the
// line says by whom; 2: wrong arguments; 3: nothing noticed, and the litmus, asked alone, could not have noticed anything, for
// its two threads seldom ran at the same time. Arguments: how many rounds at the most, the one scenario if not all, and its first round.
// Or, to hold a directory open as another process: hold DIRECTORY MODE. Or, to use one until killed: kill and a KillOrder.
// Or, to use a cache until killed: kill-cache DIRECTORY SEED VERSION KIND.
// Or, to fill a device beside another program and delete, over and over: fill DIRECTORY SEED SECONDS PROMISE.
// Or, to store objects, or to read them: whole DIRECTORY write or read.
// Or, with a listener that fails: listen DIRECTORY, empty for a pile in memory.
if (args is ["kill", ..])
{
    return Victim.Run(KillOrder.Parse(args));
}

if (args is ["kill-cache", string cache, string seed, string version, string kind])
{
    using System.IO.Stream pipe = Console.OpenStandardOutput();
    return CacheVictim.Run(pipe, cache, int.Parse(seed, CultureInfo.InvariantCulture), int.Parse(version, CultureInfo.InvariantCulture), Enum.Parse<PileTableKind>(kind));
}

if (args is ["listen", string where])
{
    return BadListener.Run(where);
}

if (args is ["whole", string stored, ("write" or "read") and string verb])
{
    return WholeProgram.Run(stored, isWriting: verb == "write");
}

if (args is ["fill", string filled, string order, string seconds, string promise])
{
    return Filler.Run(filled, int.Parse(order, CultureInfo.InvariantCulture), int.Parse(seconds, CultureInfo.InvariantCulture), Enum.Parse<PilePromise>(promise));
}

if (args is ["hold", string directory, string mode])
{
    return Holder.Run(directory, mode);
}

int first = 0;
if (args.Length is not (1 or 2 or 3) || !int.TryParse(args[0], NumberStyles.None, CultureInfo.InvariantCulture, out int rounds)
    || (args.Length == 3 && !int.TryParse(args[2], NumberStyles.None, CultureInfo.InvariantCulture, out first)))
{
    Console.Error.WriteLine("usage: Pile.Faults ROUNDS [SCENARIO [FIRST]] | hold DIRECTORY MODE | fill DIRECTORY SEED SECONDS PROMISE | listen DIRECTORY | whole DIRECTORY write|read | kill ... | kill-cache DIRECTORY SEED VERSION KIND");
    return 2;
}

for (int round = first; round < first + rounds; round++)
{
    foreach ((string name, Action<int> run) in Scenarios.All)
    {
        if (args.Length > 1 && args[1] != name)
        {
            continue;
        }

        try
        {
            run(round);
        }
        catch (Exception failure)
        {
            // The pile is broken: leave at once, without asking it for anything more.
            string detector = failure is ModelMismatchException mismatch ? mismatch.Detector : failure.GetType().Name;
            Console.WriteLine($"caught by [{detector}] in scenario '{name}', round {round}: {failure.Message}");
            Console.Out.Flush();
            Environment.Exit(1);
        }
    }
}

Console.WriteLine($"nothing noticed in {rounds} rounds; both threads of the litmus ran in {Scenarios.LitmusRounds:N0} of its rounds; {Scenarios.CutImages:N0} images of power cuts");
return args.Length > 1 && args[1] == "litmus" && Scenarios.LitmusRounds < EpochLitmus.ConclusiveRounds ? 3 : 0;
