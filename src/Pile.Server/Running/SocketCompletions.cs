// .NET hands what a socket has done to its thread pool, and Kestrel hands it there once more. The first is one too many for calls that take some
// microseconds (decision 47). Without it the thread that waits for all sockets does no more than hand to Kestrel's queue: Kestrel's connections run
// none of our code on it. The runtime reads this once, from its environment, before the first socket.
using System;

namespace Pile.Server.Running;

/// <summary>The runtime's way from a socket to who waits for it.</summary>
internal static class SocketCompletions
{
    private const string Variable = "DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS";

    /// <summary>Leaves the hop out, unless the environment says something else.</summary>
    internal static void GoStraight()
    {
        if (Environment.GetEnvironmentVariable(Variable) is null)
        {
            Environment.SetEnvironmentVariable(Variable, "1");
        }
    }
}
