// Names of tables on the command line. One that no table can have is refused before anything is asked: a server takes the empty name for its
// table 'default', and an empty variable of a script would clear that one.
using System.CommandLine;
using Pile.Cache;

namespace Pile.Tool.Verbs;

/// <summary>Options that are names of tables.</summary>
internal static class TableNames
{
    /// <summary>Lets an option take names that a table can have, and no others.</summary>
    internal static T Only<T>(T option)
        where T : Option
    {
        option.Validators.Add(result =>
        {
            if (result.Tokens is not [{ Value: var name }])
            {
                return;
            }

            if (name.Length == 0)
            {
                result.AddError($"{option.Name} is empty: give the name of a table, which has 1 to {CacheLimits.NameCharsMax} chars.");
            }
            else if (name.Length > CacheLimits.NameCharsMax)
            {
                result.AddError($"{option.Name} = '{name}' has {name.Length} chars, and the name of a table has 1 to {CacheLimits.NameCharsMax}.");
            }
        });
        return option;
    }
}
