using System;
using System.Globalization;
using Pile.Faults;
using Pile.Tests.Model;

// Runs the suite's scenarios over an engine whose fault PILE_FAULT names. Exit code 0: nothing noticed; 1: noticed, and the
// line says by whom; 2: wrong arguments. One argument: how many rounds of all scenarios at the most.
if (args.Length != 1 || !int.TryParse(args[0], NumberStyles.None, CultureInfo.InvariantCulture, out int rounds))
{
    Console.Error.WriteLine("usage: Pile.Faults ROUNDS");
    return 2;
}

for (int round = 0; round < rounds; round++)
{
    foreach ((string name, Action<int> run) in Scenarios.All)
    {
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

Console.WriteLine($"nothing noticed in {rounds} rounds");
return 0;
