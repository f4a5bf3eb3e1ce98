// The cache server as a program. What it is made of is Running/ServerProgram's; what it does is in docs/SERVER.md.
// A class of its own, because the compiler's would be a public one.
using System.Threading.Tasks;
using Pile.Server.Running;

namespace Pile.Server;

/// <summary>The program pile-server.</summary>
internal static class Program
{
    private static Task<int> Main(string[] args)
    {
        SocketCompletions.GoStraight();
        return ServerProgram.RunAsync(args);
    }
}
