using System.IO;
using System.Threading;
using PackageGraph.Data;
using PackageGraph.Forms;

namespace Pile.Programs.Tests.Graph;

/// <summary>A package index that fits on a screen, with a cycle, alternatives, a virtual name, a missing one and a package in two
/// versions.</summary>
internal static class SmallIndex
{
    internal const string Text = PackageFile.Header + "\n"
        + "shell\t1.0\tbase\trequired\t120\t1000\tAda\tA shell\tlibc (>= 2.3), editor | pager:any (<< 9)\tloader\t\t\t\n"
        + "libc\t2.3\tlibs\trequired\t\t2000\tAda\tThe library\tshell\t\t\tmissing\t\n"
        + "loader\t0.9\tbase\toptional\t7\t30\tBob\tLoads\t\t\tshell\t\t\n"
        + "vim\t9\teditors\toptional\t50\t500\tBob\tEdits, caf\u00e9\tlibc\t\t\t\teditor\n"
        + "nano\t7\teditors\toptional\t5\t50\tEve\tEdits \u2192 simply\tlibc (>= 2.3)\t\t\t\teditor (= 7)\n"
        + "nano\t8\teditors\toptional\t6\t60\tEve\tEdits later\t\t\t\t\teditor\n"
        + "alone\t1\tmisc\textra\t1\t1\tEve\tNeeds nothing\t\t\t\t\t\n";

    internal const int Packages = 7;

    /// <summary>Packages, and the names editor, pager and missing.</summary>
    internal const int Nodes = 10;

    internal static Catalogue Read()
    {
        using var reader = new StringReader(Text);
        return new Catalogue(PackageFile.Parse(reader));
    }

    internal static PileGraph InPile(int editions = 2) => PileGraph.Build(Read(), editions, static _ => { }, CancellationToken.None);

    internal static HeapGraph OnHeap(int editions = 2) => HeapGraph.Build(Read(), editions, static _ => { }, CancellationToken.None);
}
