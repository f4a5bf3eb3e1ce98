// Judges the options of one thing before anything of it is opened, and says where in the configuration the mistake stands.
// What only opening can find (a directory in use, a foreign file) is the open's to say.
using System;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;

namespace Pile.Hosting;

/// <summary>The validation of its options.</summary>
/// <param name="kind">What it is.</param>
/// <param name="key">Its key, or null.</param>
/// <param name="section">Its section of the configuration, or null when it has none.</param>
internal sealed class HostedOptionsValidator<TOptions>(HostedKind<TOptions> kind, string? key, IConfigurationSection? section) : IValidateOptions<TOptions>
    where TOptions : class, IHostedOptions
{
    /// <inheritdoc/>
    public ValidateOptionsResult Validate(string? name, TOptions options)
    {
        if (name != PileNames.OptionsName(key))
        {
            return ValidateOptionsResult.Skip;
        }

        if (options.Problems.Count > 0)
        {
            return ValidateOptionsResult.Fail(options.Problems);
        }

        string? problem = Judge(options);
        return problem is null ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(problem);
    }

    private string? Judge(TOptions options)
    {
        bool isInFiles = options.Directory is not null;
        if (options.Directory is { } directory && string.IsNullOrWhiteSpace(directory))
        {
            return $"{Place(nameof(options.Directory))} is empty: it must be a path. A {kind.Noun} in memory has {nameof(options.InMemory)} = true, and no directory.";
        }

        if (isInFiles == options.InMemory)
        {
            return isInFiles
                ? $"{Place(nameof(options.Directory))} = '{options.Directory}' and {Place(nameof(options.InMemory))} = true contradict each other: a {kind.Noun} is in files or in memory."
                : $"{Place(nameof(options.Directory))} is missing: it says where the {kind.Noun} lives. For a {kind.Noun} that ends with the host set {Place(nameof(options.InMemory))} to true.";
        }

        try
        {
            kind.Validate(options);
            return null;
        }
        catch (ArgumentException mistake)
        {
            return $"{Place(mistake.ParamName!)}: {mistake.Message.ReplaceLineEndings(" ")}";
        }
    }

    private string Place(string name) => section is null ? $"{typeof(TOptions).Name}.{name} of {PileNames.Describe(key, capital: false, kind.Noun)}" : $"{section.Path}:{name}";
}
