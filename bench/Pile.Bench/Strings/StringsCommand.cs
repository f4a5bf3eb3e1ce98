namespace Pile.Bench.Strings;

internal static class StringsCommand
{
    internal static int Run(string[] args) => args.Length;
}
