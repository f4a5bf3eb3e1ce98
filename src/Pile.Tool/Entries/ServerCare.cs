// What the care of a server's pile came to: the calls of its service for operators. They need the access Admin.
// They may take as long as the pile is large: there is no deadline.
using System.Threading.Tasks;
using Pile.Client;
using Pile.Client.Calls;
using Pile.Tool.Running;

namespace Pile.Tool.Entries;

/// <summary>Care of a server's pile.</summary>
internal static class ServerCare
{
    /// <summary>Checks everything that is stored.</summary>
    internal static V1.VerifyReply Verify(VerbRun run)
    {
        using PileClient client = run.Connect(isLong: true);
        ServerLink link = client.Link;
        return run.WithProgress("verifying", ofBytes: true, _ => Wait(link.CallAsync(link.Admin.VerifyAsync, new V1.VerifyRequest(), isIdempotent: true, run.Stop)));
    }

    /// <summary>Moves what lives together.</summary>
    internal static V1.CompactReply Compact(VerbRun run, double ratio)
    {
        using PileClient client = run.Connect(isLong: true);
        ServerLink link = client.Link;
        return run.WithProgress("compacting", ofBytes: true, _ => Wait(link.CallAsync(link.Admin.CompactAsync, new V1.CompactRequest { UsedOverLiveMax = ratio }, isIdempotent: true, run.Stop)));
    }

    /// <summary>Copies the pile into a directory on the server's machine.</summary>
    internal static V1.CopyReply Copy(VerbRun run, string name)
    {
        using PileClient client = run.Connect(isLong: true);
        ServerLink link = client.Link;
        return run.WithProgress("copying", ofBytes: true, _ => Wait(link.CallAsync(link.Admin.CopyAsync, new V1.CopyRequest { Name = name }, isIdempotent: false, run.Stop)));
    }

    private static T Wait<T>(Task<T> call) => call.GetAwaiter().GetResult();
}
