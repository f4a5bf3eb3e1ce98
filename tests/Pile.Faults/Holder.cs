using System;
using System.Globalization;
using Pile.Format;
using Pile.Memory;
using Pile.Persistence;

namespace Pile.Faults;

/// <summary>Another process that has a directory open: for the tests of its lock.</summary>
internal static class Holder
{
    /// <summary>Opens a directory, says "held" or "refused" with the owner's process id, and waits until its input ends.</summary>
    internal static int Run(string path, string mode)
    {
        try
        {
            using PileDirectory directory = PileDirectory.Open(
                FileProvider.Default, RegionProvider.Default, path, Enum.Parse<PileOpenMode>(mode), new MetaSlot { Identity = 1 });
            Say("held");
            _ = Console.In.ReadLine();
            return 0;
        }
        catch (PileLockedException failure)
        {
            Say($"refused {failure.OwnerProcessId.ToString(CultureInfo.InvariantCulture)}");
            return 1;
        }
    }

    private static void Say(string text)
    {
        Console.WriteLine(text);
        Console.Out.Flush();
    }
}
