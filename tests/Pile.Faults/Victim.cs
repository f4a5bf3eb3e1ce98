using System;
using System.IO;
using Pile.Tests.Durability.Kill;
using Pile.Tests.Model;

namespace Pile.Faults;

/// <summary>A process that uses a directory until it is killed.</summary>
internal static class Victim
{
    /// <summary>Exit code 0: ran to its end; 1: the pile did something wrong, which the error stream tells.</summary>
    internal static int Run(KillOrder order)
    {
        using Stream pipe = Console.OpenStandardOutput();
        try
        {
            new KillSession(order, pipe).Run();
            return 0;
        }
        catch (Exception failure) when (failure is ModelMismatchException or PileException)
        {
            Console.Error.WriteLine(failure);
            Console.Error.Flush();
            Environment.Exit(1);
            return 1;
        }
    }
}
